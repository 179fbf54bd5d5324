"""A model, and the validation step that the training runs after each epoch."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, classes)
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(images)


@torch.no_grad()
def validation_step(model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    scores = model(images)
    return {
        "loss": float(nn.functional.cross_entropy(scores, labels)),
        "accuracy": float((scores.argmax(1) == labels).float().mean()),
    }
