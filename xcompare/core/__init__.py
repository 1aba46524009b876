"""What every part may use: checks, errors, seeds, worker processes, files and text."""
