"""OS packages in a frozen contract: added on request, exact ones follow the base, patterns stay."""

from __future__ import annotations

import pytest

from imgcheck.contract.freeze import freeze
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.os_pinning import pin_os_packages
from imgcheck.errors import ContractError
from imgcheck.facts.os_packages import OsPackages
from tests.contract.bases import REFERENCE, image, inventory

FOUND = OsPackages(
    manager="dpkg",
    packages=(
        ("bash", "5.2.15-2+b7"),
        ("libc6", "2.36-9+deb12u9"),
        ("libnccl2", "2.21.5-1+cuda12.4"),
        ("libstdc++6", "12.2.0-14"),
    ),
)


def after(text: str, **above: str) -> str:
    return pin_os_packages(f"imgcheck: 1\n{text}", "c.yaml", FOUND, above).text.removeprefix("imgcheck: 1\n")


def test_what_a_stack_stands_on_is_added_and_nothing_else() -> None:
    assert after("") == (
        '\nos_packages:\n  libc6: "2.36-9+deb12u9"\n  libnccl2: 2.21.5-1+cuda12.4\n  "libstdc++6": 12.2.0-14\n'
    )


def test_exact_versions_follow_patterns_and_comments_stay() -> None:
    text = (
        "os_packages:\n  bash: 5.1-1  # ours\n  git: installed\n  gone: 1-1\n"
        "  libc6: 2.36-*\n  libnccl2: 2.20.3-1+cuda12.3  # in step with the fabric\n"
    )
    assert after(text) == (
        "os_packages:\n  bash: 5.2.15-2+b7  # ours\n  git: installed\n  gone: 1-1\n"
        "  libc6: 2.36-*\n  libnccl2: 2.21.5-1+cuda12.4  # in step with the fabric\n"
        '  "libstdc++6": 12.2.0-14\n'
    )


def test_what_a_contract_above_promises_is_not_written_again() -> None:
    assert "libc6" not in after("", libc6="2.36-*")


def test_changes_are_told() -> None:
    text = "imgcheck: 1\nos_packages: {libc6: '2.36-9+deb12u8', libnccl2: 2.*, 'libstdc++6': installed}\n"
    pinned = pin_os_packages(text, "c.yaml", FOUND, {})
    assert [str(one) for one in pinned.changes] == ["changed: os_packages.libc6 2.36-9+deb12u8 -> 2.36-9+deb12u9"]
    assert "{libc6: '2.36-9+deb12u9', libnccl2: 2.*, 'libstdc++6': installed}" in pinned.text


def test_a_section_that_is_merged_from_elsewhere_is_refused() -> None:
    text = "imgcheck: 1\nos_packages:\n  <<: {libc6: 2.36-8}\n  bash: 5.1-1\n"
    with pytest.raises(ContractError, match="os_packages cannot be edited"):
        pin_os_packages(text, "c.yaml", FOUND, {})


@pytest.mark.parametrize("asked", [True, False])
def test_a_freeze_writes_them_on_request(asked: bool) -> None:
    frozen = freeze(
        image(), inventory(numpy="1.26.4"), reference=REFERENCE, path="c.yaml", os_packages=FOUND if asked else None
    )
    contract = parse_contract(frozen.contract_text, "c.yaml")
    assert contract.pins == {"numpy": "1.26.4"}
    assert set(contract.os_packages) == ({"libc6", "libnccl2", "libstdc++6"} if asked else set())
