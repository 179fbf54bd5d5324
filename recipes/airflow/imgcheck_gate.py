"""An Airflow gate that asks imgcheck before GPU time is spent, and retries only what a retry can mend.

Exit 75 means that the engine, a registry or an index was out of reach: the task fails, and Airflow tries it again as
often as `retries` says. Every other failure is the same each time, so the task fails for good, whatever `retries` says.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

from airflow.exceptions import AirflowException, AirflowFailException

try:
    from airflow.sdk import BaseOperator
except ImportError:  # Airflow 2
    from airflow.models.baseoperator import BaseOperator

OUT_OF_REACH = 75


class ImgcheckGate(BaseOperator):
    """Runs `imgcheck check IMAGE -c CONTRACT` on the worker, which needs a container engine.

    DockerOperator with `retries` cannot tell 75 from the rest. To run imgcheck in a container, let this start it:
    `command=["docker", "run", "--rm", "-v", "/var/run/docker.sock:/var/run/docker.sock", "tools/imgcheck:1"]`.
    """

    template_fields: Sequence[str] = ("image", "contract")

    def __init__(
        self,
        *,
        image: str,
        contract: str,
        command: Sequence[str] = ("imgcheck",),
        arguments: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.image = image
        self.contract = contract
        self.command = tuple(command)
        self.arguments = tuple(arguments)

    def execute(self, context: Any) -> str:  # noqa: ARG002 - as Airflow calls it
        words = [*self.command, "check", self.image, "-c", self.contract, *self.arguments]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        for line in done.stdout.splitlines():
            self.log.info(line)
        told = f"imgcheck ended with {done.returncode} for {self.image}"
        if done.returncode == OUT_OF_REACH:
            raise AirflowException(f"{told}: out of reach, worth a retry")
        if done.returncode != 0:
            raise AirflowFailException(f"{told}: the same each time, so it is not tried again")
        return self.image
