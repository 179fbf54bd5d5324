"""Locks: requirements resolved inside the base image, under its contract, and what to say where that cannot be done."""
