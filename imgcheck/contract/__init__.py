"""The contract: what an image promises, read from YAML with the line of each promise."""
