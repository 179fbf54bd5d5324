"""Blame by times against blame by the layers, on one image, in one run: the same distributions, both answers compared.

python benchmarks/blame.py IMAGE
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from imgcheck.diagnosis.steps import by_layers, by_time
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import settle
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector


def main() -> None:
    engine = DockerEngine(settle(None))
    image = engine.inspect(sys.argv[1])
    assert image is not None, f"there is no image {sys.argv[1]}"
    with tempfile.TemporaryDirectory() as folder:
        inventory = Collector(engine=engine, cache=FactsCache(folder=Path(folder))).inventory(image)
    began = time.perf_counter()
    timed = [by_time(image, one) for one in inventory.distributions]
    by_times = time.perf_counter() - began
    began = time.perf_counter()
    layers = engine.layers(image)
    read = [by_layers(layers, one) for one in inventory.distributions]
    by_reading = time.perf_counter() - began
    decided = [(one, other) for one, other in zip(timed, read, strict=True) if one.step is not None]
    same = sum(one.step == other.step for one, other in decided)
    print(f"{len(timed)} distributions, {layers.bytes_read / 1e6:,.0f} MB of layers")
    print(f"by times   {by_times:9.4f} s   decides {len(decided)}, as the layers do in {same} of them")
    print(f"by layers  {by_reading:9.4f} s   decides {sum(one.step is not None for one in read)}")
    print(f"ratio      {by_reading / by_times:9.0f}")


if __name__ == "__main__":
    main()
