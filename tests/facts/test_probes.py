"""Probes on this machine's Python, through the real collector: well-behaved, wrong, and hostile ones."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from imgcheck.contract.probes import Probe
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.probes import ProbeFacts
from tests.local_engine import LocalEngine, an_image


@pytest.fixture
def collector(tmp_path: Path) -> Collector:
    return Collector(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path))


def free_port() -> int:
    """One that nobody listens on: these tests may run beside others of their kind."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


PORTS = [free_port() for _ in range(8)]
SERVER = "import http.server as h; h.HTTPServer(('127.0.0.1', {port}), h.SimpleHTTPRequestHandler).serve_forever()"


def probe(name: str, **fields: object) -> Probe:
    return Probe.model_validate({"name": name, "within": 5, "alive": 0.3, **fields})


def serving(port: int, code: str = SERVER) -> list[str]:
    return ["{python}", "-c", code.replace("{port}", str(port))]


PROBES = {
    "a command that succeeds": (probe("a", run=["{python}", "-c", "print(41+1)"], output="^42"), "done", ""),
    "a command that fails": (probe("b", run=["{python}", "-c", "exit(3)"]), "start", "ended with status 3"),
    "a command that dies": (
        probe("b", run=["{python}", "-c", "import os; os.abort()"]),
        "start",
        "was ended by SIGABRT",
    ),
    "a command that says something else": (probe("c", run=["{python}", "-c", ""], output="42"), "start", "not match"),
    "a command that hangs": (
        probe("d", run=["{python}", "-c", "import time; time.sleep(60)"], within=0.5),
        "start",
        "did not end within 0.5 s",
    ),
    "a program that is not there": (probe("e", run=["/nowhere/x"]), "start", "could not be started"),
    "a server that answers": (probe("f", start=serving(PORTS[0]), http={"port": PORTS[0]}), "done", ""),
    "a server with another status": (
        probe("g", start=serving(PORTS[1]), http={"port": PORTS[1], "path": "/none"}, within=1),
        "answer",
        "its status is 404 and not 200",
    ),
    "a server that ends at once": (
        probe("h", start=["{python}", "-c", "exit(7)"], port=PORTS[2]),
        "answer",
        "ended with status 7 before it answered",
    ),
    "a server that dies after its answer": (
        probe("i", start=serving(PORTS[3], SERVER.replace("serve_forever", "handle_request")), http={"port": PORTS[3]}),
        "alive",
        "it answered, and then",
    ),
    "a server whose client fails": (
        probe("j", start=serving(PORTS[4]), port=PORTS[4], then=["{python}", "-c", "exit(2)"]),
        "then",
        "ended with status 2",
    ),
}


@pytest.mark.parametrize(("probe", "reached", "detail"), PROBES.values(), ids=PROBES)
def test_a_probe_tells_how_far_it_came(collector: Collector, probe: Probe, reached: str, detail: str) -> None:
    facts = collector.probe(an_image(), probe)
    assert facts.reached == reached
    assert detail in facts.detail


ANSWERING = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response({status})
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"state": "ready", "runs": [{"loss": 0.25}]}')
http.server.HTTPServer(("127.0.0.1", {port}), Handler).serve_forever()
"""


def answering(port: int, status: int = 200) -> list[str]:
    return code(ANSWERING.replace("{port}", str(port)).replace("{status}", str(status)))


def code(text: str) -> list[str]:
    return ["{python}", "-c", text]


WANTED = {
    "values": ({"values": {"state": "ready", "runs.0.loss": r"0\.25"}}, ""),
    "another value": ({"values": {"state": "up"}}, "its body has 'ready' at state, which does not match 'up'"),
    "no such value": ({"values": {"runs.1.loss": ".*"}}, "its body has nothing at runs.1.loss"),
    "a header": ({"headers": {"content-type": "json"}}, ""),
    "another header": ({"headers": {"Content-Type": "html"}}, "its header Content-Type is 'application/json'"),
    "no such header": ({"headers": {"ETag": "."}}, "it has no header ETag"),
    "a text": ({"contains": ["loss", "runs"]}, ""),
    "no such text": ({"contains": ["gpu_"]}, "its body does not contain 'gpu_'"),
    "a text that must not be there": ({"excludes": ["re.dy"]}, "its body must not match 're.dy', and has 'ready'"),
}


@pytest.mark.parametrize(
    ("number", "wanted", "wrong"), [(n, *one) for n, one in enumerate(WANTED.values())], ids=WANTED
)
def test_an_answer_is_held_to_all_that_is_asked(
    collector: Collector, number: int, wanted: dict[str, object], wrong: str
) -> None:
    port = free_port()
    web = probe("web", start=answering(port), http={"port": port, **wanted}, within=1, alive=0)
    told = collector.probe(an_image(), web)
    assert told.reached == ("answer" if wrong else "done"), told
    assert wrong in told.detail


def test_a_server_error_is_told_with_its_answer(collector: Collector) -> None:
    told = collector.probe(an_image(), probe("web", start=answering(PORTS[7], 500), http={"port": PORTS[7]}, within=1))
    assert told.reached == "answer"
    assert "its status is 500 and not 200" in told.detail
    assert told.answer.startswith("HTTP 500: {")


OUTPUTS = {
    "contained": (code("print('two GPUs')"), {"contains": ["GPU"]}, ""),
    "not contained": (code("print('none')"), {"contains": ["GPU"]}, "its output does not contain 'GPU'"),
    "excluded": (
        code("print('a deprecated call')"),
        {"excludes": ["deprecat"]},
        "its output must not match 'deprecat'",
    ),
    "a file": (code("open('made', 'w').write('x')"), {"files": ["{scratch}/made"], "workdir": "{scratch}"}, ""),
    "no file": (code(""), {"files": ["{scratch}/ma*"]}, "/ma*, or it is empty"),
    "an empty file": (
        code("open('made', 'w')"),
        {"files": ["{scratch}/made"], "workdir": "{scratch}"},
        "/made, or it is empty",
    ),
    "variables": (code("import os; print(os.environ['A'])"), {"env": {"A": "{scratch}"}, "output": "scratch"}, ""),
    "no such folder": (code(""), {"workdir": "/nowhere"}, "it could not be started: /nowhere: No such file"),
}


@pytest.mark.parametrize(("run", "wanted", "wrong"), OUTPUTS.values(), ids=OUTPUTS)
def test_a_command_is_held_to_its_output_and_files(
    collector: Collector, run: list[str], wanted: dict[str, object], wrong: str
) -> None:
    told = collector.probe(an_image(), probe("command", run=run, **wanted))
    assert told.reached == ("start" if wrong else "done"), told
    assert wrong in told.detail


def test_a_server_is_ready_when_a_line_and_files_are_there(collector: Collector) -> None:
    text = "import time; open('pid', 'w').write('1'); open('log', 'w').write('up: ready 7'); time.sleep(60)"
    wanted = {"log": "ready [0-9]", "logs": ["{scratch}/log"], "files": ["{scratch}/pid"], "workdir": "{scratch}"}
    assert collector.probe(an_image(), probe("daemon", start=code(text + "\n"), **wanted)).reached == "done"
    told = collector.probe(an_image(), probe("daemon", start=code(text), **{**wanted, "log": "set", "within": 0.5}))
    assert told.detail == "it was not ready within 0.5 s: no line matches 'set'"
    assert list(told.logs.values()) == ["up: ready 7"]


def test_a_server_is_stopped_by_its_command_or_told(collector: Collector) -> None:
    waiting = code("import os, time\nopen('up', 'w').write(str(os.getpid()))\ntime.sleep(60)")
    given = {"start": waiting, "files": ["{scratch}/up"], "workdir": "{scratch}", "alive": 0}
    kill = code("import os, signal; os.kill(int(open('up').read()), signal.SIGTERM)")
    assert collector.probe(an_image(), probe("stopped", stop=kill, **given)).reached == "done"
    told = collector.probe(an_image(), probe("stays", stop=code(""), **{**given, "within": 0.7}))
    assert (told.reached, told.detail) == ("stop", "it succeeded, and the server was still there 0.7 s later")


# --- hostile ones


def is_gone(marker: str) -> bool:
    """No other process of this machine has the marker among its words."""
    others = (one for one in Path("/proc").iterdir() if one.name.isdigit() and one.name != str(os.getpid()))
    return not any(marker.encode() in words_of(one) for one in others)


def words_of(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it has just ended
        return b""


def hostile(collector: Collector, marker: str, text: str, **more: object) -> tuple[ProbeFacts, float]:
    """What became of it, and the seconds that it took; nothing of it is left."""
    began = time.monotonic()
    marker = f"{marker}-{os.getpid()}"
    words = {"run": [*code(text), marker]} if "port" not in more and "http" not in more else {}
    words = words or {"start": [*code(text), marker]}
    told = collector.probe(an_image(), probe("hostile", **words, **more))
    assert is_gone(marker), "something is still running"
    return told, time.monotonic() - began


def test_one_that_ignores_term_and_hangs_is_killed_in_time(collector: Collector) -> None:
    text = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    told, seconds = hostile(collector, "ignoring-term-7f31", text, within=0.5)
    assert (told.reached, told.detail) == ("start", "it did not end within 0.5 s")
    assert seconds < 10


def test_a_server_that_ignores_term_is_killed_and_told(collector: Collector) -> None:
    text = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SERVER.replace("{port}", str(PORTS[6]))
    told, seconds = hostile(collector, "staying-7f31", text, http={"port": PORTS[6]})
    assert (told.reached, told.ignored_term) == ("done", True)
    assert seconds < 15


def test_a_flood_is_bounded_and_told(collector: Collector) -> None:
    text = "import sys\nprint('begun')\nwhile True: sys.stdout.write('flood ' * 9 + chr(10))"
    told, seconds = hostile(collector, "flooding-7f31", text, within=1)
    assert told.detail == "it did not end within 1 s"
    assert told.written > 1_000_000
    assert len(told.output) <= 8192
    assert seconds < 10


def test_what_a_flood_says_first_still_counts(collector: Collector) -> None:
    text = "print('version 7')\nfor _ in range(40_000): print('flood ' * 9)"
    told, _ = hostile(collector, "flooding-first-7f31", text, output="version 7", excludes=["never said"])
    assert told.reached == "done"
    assert told.written > 1_000_000


def test_one_that_forks_away_is_found_and_ended(collector: Collector) -> None:
    text = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)\n"
        "os.wait()"
    )
    told, _ = hostile(collector, "forking-away-7f31", text)
    assert told.reached == "done"
    assert len(told.leftovers) == 1
    assert "forking-away-7f31" in told.leftovers[0]


def test_one_that_leaves_a_child_in_its_own_group_is_told_too(collector: Collector) -> None:
    told, _ = hostile(collector, "leaving-7f31", "import os, time\nif os.fork() == 0: time.sleep(600)")
    assert told.reached == "done"
    assert len(told.leftovers) == 1
    assert "leaving-7f31" in told.leftovers[0]


def test_a_server_that_goes_into_the_background_is_told(collector: Collector) -> None:
    text = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)\n"
    told, _ = hostile(collector, "daemon-7f31", text, port=free_port())
    assert (told.reached, told.exit_code) == ("answer", 0)
    assert len(told.leftovers) == 1


def test_a_server_that_exits_0_at_once_is_broken(collector: Collector) -> None:
    told, _ = hostile(collector, "at-once-7f31", "print('bye')", port=free_port())
    assert told.detail == "it ended with status 0 before it answered"
    assert told.output == "bye\n"


def test_a_server_that_sends_a_byte_now_and_then_is_not_waited_for(collector: Collector) -> None:
    text = (
        "import socket, time\ns = socket.create_server(('127.0.0.1', {port}))\nwhile True:\n"
        "    c, _ = s.accept(); c.sendall(b'HTTP/1.0 200 OK\\r\\n\\r\\n')\n"
        "    try:\n        while True: c.sendall(b'x'); time.sleep(.2)\n    except OSError: pass"
    )
    port = free_port()
    text = text.replace("{port}", str(port))
    told, seconds = hostile(collector, "dripping-7f31", text, http={"port": port}, within=1)
    assert told.detail == "it was not ready within 1 s: its answer did not come to an end"
    assert seconds < 12


def test_children_that_keep_the_output_open_are_not_waited_for(collector: Collector) -> None:
    text = (
        "import subprocess, sys\nsleep = [sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]]\n"
        "subprocess.Popen(sleep, start_new_session=True); print('done')"
    )
    told, seconds = hostile(collector, "holding-7f31", text)
    assert told.reached == "done"
    assert ["holding-7f31" in one for one in told.leftovers] == [True]
    assert seconds < 15


def test_words_that_no_program_can_be_given_are_told(collector: Collector) -> None:
    told = collector.probe(an_image(), probe("odd", run=["echo", "a\0b"]))
    assert told.detail == "it could not be started: echo: embedded null byte"


def test_one_that_wants_the_network_says_so(collector: Collector) -> None:
    told, _ = hostile(collector, "network-7f31", "import socket; socket.getaddrinfo('weights.invalid', 443)")
    assert told.reached == "start"
    assert "socket.gaierror" in told.output
