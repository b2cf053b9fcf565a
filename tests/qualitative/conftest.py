"""Puts this folder on the path, so that the folders below find its helper modules."""
