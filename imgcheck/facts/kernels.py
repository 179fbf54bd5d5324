"""Typed twin of the collector's kernels.py: kernels compiled for the signatures that the contract gives."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text


class KernelFacts(FactModel):
    """What became of one; `ended` says why its process gave no answer."""

    function: Name
    kind: Literal["numba", "numba ufunc", "numba.cuda", "triton", ""]
    targets: tuple[Name, ...] = ()
    """What it was compiled for: CPU, or capabilities."""
    error: Text = ""
    trace: Text = ""
    ended: Text = ""


class LazyKernels(FactModel):
    """numba functions of one distribution that compile at their first call."""

    distribution: Name
    count: int
    sites: tuple[Name, ...] = ()


class KernelsFacts(FactModel):
    compiled: tuple[KernelFacts, ...] = ()
    lazy: tuple[LazyKernels, ...] = ()
