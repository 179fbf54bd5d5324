"""Build training images against constraints, and check a contract inside the image."""

__version__ = "0.1.0"
