"""`imgcheck gpu`: what the libraries of an image have for GPUs, in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract, Gpu
from imgcheck.errors import UsageError
from imgcheck.facts.model import Facts
from imgcheck.gpu_summary import GpuSummary, summarise_gpu
from imgcheck.images import find_image
from imgcheck.pipeline import RunOptions, collector_for, connect
from imgcheck.progress import Progress


@dataclass(frozen=True, kw_only=True)
class GpuRequest:
    """For which fleet; what is given here wins over the contract."""

    contract: Path | None = None
    capabilities: tuple[str, ...] = ()
    driver: str | None = None
    interpreter: str | None = None

    def settled(self) -> tuple[Contract, Gpu]:
        """The contract, or one that promises nothing, and the fleet.

        Raises:
            UsageError: a capability or a driver is none.
        """
        contract = load_contract(self.contract) if self.contract else Contract(imgcheck=1)
        if self.interpreter:
            contract = contract.model_copy(update={"python": self.interpreter})
        written = contract.gpu or Gpu()
        wanted = {"capabilities": self.capabilities or written.capabilities, "driver": self.driver or written.driver}
        try:
            return contract, Gpu.model_validate(wanted)
        except ValidationError as error:
            raise UsageError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None


def list_gpu(reference: str, request: GpuRequest, options: RunOptions, progress: Progress) -> GpuSummary:
    """Reads the native files of an image that exists; nothing of it is loaded.

    Raises:
        UsageError: a capability or a driver is none.
    """
    contract, gpu = request.settled()
    engine = connect(options, progress)
    image = find_image(engine, reference, progress)
    collector = collector_for(contract, engine, options)
    with progress.step(f"Reading what is installed in {image.reference}"):
        inventory = collector.inventory(image)
    with progress.step(f"Reading the native files of {image.reference}"):
        native = collector.native(image, contract.native_options.folders)
    return summarise_gpu(Facts(image=image, inventory=inventory, native=native), gpu, collector.notices)
