"""A dockerd of the tests' own, which may be stopped: the shared one never is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.faults.harness import docker

BRIDGE: Final = "icfaults0"
_START: Final = 60.0


def possible() -> bool:
    return os.geteuid() == 0 and all(map(shutil.which, ("dockerd", "ip")))


class SecondEngine:
    """With folders, a socket and a bridge of its own; a dockerd without one would delete the first one's."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.host = f"unix://{root}/s"
        self._process: subprocess.Popen[bytes] | None = None

    def make_bridge(self) -> None:
        for words in (
            f"link add {BRIDGE} type bridge",
            f"addr add 10.233.77.1/24 dev {BRIDGE}",
            f"link set {BRIDGE} up",
        ):
            subprocess.run(["ip", *words.split()], check=True)

    def remove_bridge(self) -> None:
        subprocess.run(["ip", "link", "del", BRIDGE], check=True)

    def start(self) -> None:
        folders = [f"--data-root={self.root}/data", f"--exec-root={self.root}/exec", f"--pidfile={self.root}/pid"]
        network = [f"--bridge={BRIDGE}", "--iptables=false", "--ip6tables=false", "--ip-masq=false"]
        with (self.root / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["dockerd", f"--host={self.host}", *folders, *network],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + _START
        while time.monotonic() < until:
            with suppress(subprocess.CalledProcessError):
                docker("version", engine=self.host)
                return
            time.sleep(0.2)
        raise AssertionError((self.root / "log").read_text()[-2000:])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(60)
            self._process = None
