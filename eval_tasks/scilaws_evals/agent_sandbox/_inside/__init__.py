"""Runs inside the sandbox, under the bare interpreter: standard library only, nothing of the project."""
