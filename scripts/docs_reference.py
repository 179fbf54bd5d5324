"""Pages that are written from code while the site is built: a hook of MkDocs. Nothing of it is kept here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from imgcheck import cli
from imgcheck.checks import CHECKS
from imgcheck.contract.schema import json_schema, schema_text
from imgcheck.errors import ExitCode
from imgcheck.naming import every_option_named
from imgcheck.probes import builtin, builtin_names
from imgcheck.report import RENDERERS
from imgcheck.selecting import CONTRACT_CHECKS

FAMILIES = {
    "IC1": "Versions",
    "IC2": "Files",
    "IC3": "Imports",
    "IC4": "Native libraries",
    "IC5": "GPUs",
    "IC6": "Running",
    "IC7": "Rebuilding",
    "IC8": "The image",
    "IC9": "The contract",
}
EXITS = {
    ExitCode.KEPT: ("the contract is kept", ""),
    ExitCode.BROKEN: ("the contract is broken", "no"),
    ExitCode.USAGE: ("the command line, a settings file or the contract is wrong", "no"),
    ExitCode.NOT_BUILT: ("the image did not build", "no"),
    ExitCode.CHECK_ERROR: ("a check could not run", "no"),
    ExitCode.NOTHING_CHECKED: ("nothing was checked", "no"),
    ExitCode.OUT_OF_REACH: ("engine, registry or package index out of reach", "yes"),
    ExitCode.INTERRUPTED: ("interrupted; everything was cleaned up", ""),
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages; MkDocs calls this by its name."""
    pages = {
        "checks/index.md": checks(),
        "reference/commands.md": commands(),
        "reference/contract-keys.md": contract_keys(),
        "reference/probes.md": probes(),
        "reference/exit-codes.md": exit_codes(),
        "reference/schemas.md": schemas(),
        "reference/contract.schema.json": schema_text(),
        "changelog.md": (Path(config.config_file_path).parent / "CHANGELOG.md")
        .read_text("utf-8")
        .replace("](docs/", "]("),
    }
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def checks() -> str:
    lines = ["# Checks", "", "A selector, a waiver and `imgcheck explain` take a name, a code, or a prefix of codes."]
    every = (*CHECKS, *CONTRACT_CHECKS)
    for prefix, title in FAMILIES.items():
        ours = [one for one in every if one.code.startswith(prefix)]
        lines += ["", f"## {title} ({prefix}xx)", "", "| code | check | what is wrong |", "| --- | --- | --- |"]
        lines += [f"| {one.code} | [{one.name}]({one.name}.md) | {cell(one.summary)} |" for one in ours]
    return "\n".join(lines) + "\n"


def commands() -> str:
    tree: Any = every_option_named(typer.main.get_command(cli.app))
    lines = ["# Commands", "", "Every option is also a variable, and a key of `[tool.imgcheck]` or `imgcheck.toml`."]
    for name, command in sorted(tree.commands.items()):
        summary, *rest = [part.strip() for part in (command.help or "").split("\n\n")]
        examples = [line.strip() for part in rest for line in part.splitlines() if "imgcheck " in line]
        lines += ["", f"## imgcheck {name}", "", " ".join(summary.split()), ""]
        if examples:
            lines += ["```text", *(plain(one) for one in examples), "```", ""]
        lines += ["| option | variable | meaning |", "| --- | --- | --- |", *options_of(command)]
    return "\n".join(lines) + "\n"


def options_of(command: Any) -> Iterator[str]:
    for one in command.params:
        if one.name == "help":
            continue
        is_option = one.param_type_name == "option"
        names = ", ".join(f"`{word}`" for word in one.opts) if is_option else f"`{one.metavar or one.name.upper()}`"
        variable = f"`{one.envvar}`" if is_option and one.envvar else ""
        yield f"| {names.replace('|', chr(92) + '|')} | {variable} | {cell(plain(one.help or ''))} |"


def plain(text: str) -> str:
    """Without the markup of rich."""
    for mark in ("[dim]", "[bold]", "[/]"):
        text = text.replace(mark, "")
    return text


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def contract_keys() -> str:
    schema = json_schema()
    lines = ["# Every key of a contract", "", "[The contract file](../contract.md) shows them in use."]
    lines += ["", *keys_of("", schema)]
    for name, part in schema["definitions"].items():
        if part.get("properties"):
            lines += [
                "",
                f"## {name}",
                "",
                *([one_line(part)] if part.get("description") else []),
                "",
                *keys_of(name, part),
            ]
    return "\n".join(lines) + "\n"


def one_line(part: Any) -> str:
    return cell(part["description"])


def keys_of(_name: str, part: Any) -> Iterator[str]:
    required = set(part.get("required", ()))
    yield from ("| key | value | default | meaning |", "| --- | --- | --- | --- |")
    for key, value in part["properties"].items():
        default = "required" if key in required else _default(value)
        yield f"| `{key}` | {cell(kind(value))} | {default} | {cell(value.get('description', ''))} |"


def _default(value: Any) -> str:
    """As JSON; long ones are the defaults of their own keys, which their own table shows."""
    text = json.dumps(value["default"]) if "default" in value else ""
    return f"`{cell(text)}`" if text and text != "null" and len(text) <= 30 else ""


def kind(value: Any) -> str:  # noqa: PLR0911 - a case each
    """A value's type in a few words."""
    if "const" in value:
        return json.dumps(value["const"])
    if "enum" in value:
        return ", ".join(map(str, value["enum"]))
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for combined in ("anyOf", "allOf", "oneOf"):
        if combined in value:
            return " or ".join(dict.fromkeys(kind(one) for one in value[combined]))
    if value.get("type") == "array":
        return f"list of {kind(value.get('items', {}))}"
    if value.get("type") == "object":
        inner = value.get("additionalProperties")
        return f"mapping to {kind(inner)}" if isinstance(inner, dict) else "mapping"
    told = value.get("type", "anything")
    return "text" if isinstance(told, list) or told == "string" else str(told)


def probes() -> str:
    lines = [
        "# Built-in probes",
        "",
        "A contract lists them by name under `probes`; [probes](../probes.md) tells how they run.",
    ]
    for name in builtin_names():
        probe = builtin(name)
        shown = probe.model_dump(mode="json", exclude_defaults=True)
        lines += ["", f"## {name}", "", "```json", json.dumps(shown, indent=2, ensure_ascii=False), "```"]
    return "\n".join(lines) + "\n"


def exit_codes() -> str:
    lines = ["# Exit codes", "", "| code | meaning | worth a retry |", "| --- | --- | --- |"]
    lines += [f"| {int(code)} | {EXITS[code][0]} | {EXITS[code][1]} |" for code in ExitCode]
    return "\n".join(lines) + "\n"


def schemas() -> str:
    formats = ", ".join(f"`{name}`" for name in RENDERERS)
    return (
        "# JSON schemas\n\n"
        "- [The contract](contract.schema.json), draft 7, in the form of SchemaStore: `imgcheck schema` prints it.\n"
        "- [The JSON report](../report.schema.json), draft 2020-12. Read `format` first.\n\n"
        f"[Reports](../reports.md) come as {formats}.\n"
    )
