"""A pipeline of two components on one training image. kfp reads annotations as types, so none is postponed."""

from kfp import dsl

IMAGE = "registry.example/team/train:1"


@dsl.component(base_image=IMAGE)
def prepare(rows: int) -> int:
    return rows * 2


@dsl.component(base_image=IMAGE)
def fit(rows: int) -> str:
    return f"fitted on {rows}"


@dsl.pipeline(name="train")
def train(rows: int = 10) -> None:
    fit(rows=prepare(rows=rows).output)
