"""Specs as text that people like to read: new files, and tools added to files that exist."""
