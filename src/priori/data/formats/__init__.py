"""Formats of files, each a module that is loaded when a file has it."""
