"""Column families -> Connect schemas and conversions. One module per family; see `base.py`."""
