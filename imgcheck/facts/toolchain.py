"""Typed twin of the collector's toolchain.py: what is there for code that is compiled while a program runs."""

from __future__ import annotations

from imgcheck.facts.strict import FactModel, Name, Text


class Compiler(FactModel):
    """The compiler that is taken; `error` says why it does not make a Python extension of a few lines."""

    path: Name = ""
    error: Text = ""


class CacheFolder(FactModel):
    path: Name
    writable: bool


class ToolchainFacts(FactModel):
    c: Compiler
    cxx: Compiler
    programs: dict[Name, Name]
    """Path of nvcc, ninja and ldconfig; empty where there is none."""
    user: Name
    """Empty where neither a variable nor passwd names the user."""
    uid: int
    caches: dict[Name, CacheFolder]
