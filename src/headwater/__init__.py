"""Headwater: change data capture in Python."""
