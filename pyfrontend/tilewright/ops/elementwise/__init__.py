"""Operators whose results have the shape of their input: every element on its own."""
