"""The scoreboard: real failures and healthy images, made from tests/cases, and what imgcheck says of each."""
