"""Shared foundations: argument checks, errors, seeds, worker processes, writing files, escaping text."""
