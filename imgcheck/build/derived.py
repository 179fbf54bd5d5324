"""The derived base: the contract's base, with the constraints in force for every install that follows."""

from __future__ import annotations

from typing import Final

from imgcheck.build.backend import Order

CONSTRAINTS_PATH: Final = "/etc/imgcheck/constraints.txt"
CONSTRAINTS_LABEL: Final = "imgcheck.constraints"
FILE: Final = "constraints.txt"
"""The merged constraints, as they lie in the order's folder."""


def derived_dockerfile(order: Order) -> str:
    """Its Dockerfile: the merged file, and the variables that put it in force."""
    variables = ["PIP_CONSTRAINT", "UV_CONSTRAINT"]
    variables += ["PIP_BUILD_CONSTRAINT", "UV_BUILD_CONSTRAINT"] if order.plan.contract.constraints.build else []
    settings = " ".join(f"{name}={CONSTRAINTS_PATH}" for name in variables)
    return (
        f"FROM {order.base}\n"
        f"COPY --chmod=0644 {FILE} {CONSTRAINTS_PATH}\n"
        f"ENV {settings}\n"
        f"LABEL {CONSTRAINTS_LABEL}={order.constraints_digest}\n"
    )
