"""What imgcheck calls: the training's own validation step on two random batches, on the CPU."""

import math

import torch

from tinytrain.training import Model, validation_step


def validation() -> dict[str, object]:
    torch.manual_seed(0)
    model = Model().eval()
    batches = [(torch.rand(4, 3, 32, 32), torch.randint(0, 10, (4,))) for _ in range(2)]
    metrics = [validation_step(model, images, labels) for images, labels in batches]
    return {
        "loss": {"ok": all(math.isfinite(one["loss"]) for one in metrics), "detail": f"losses {metrics}"},
        "batches": len(metrics),
    }
