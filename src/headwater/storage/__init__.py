"""Offset stores and schema history stores."""
