"""Requirement files of pip: read with lines and places, never followed out of sight."""
