"""Stores; one file each. See `storage/base.py`."""
