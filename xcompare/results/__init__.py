"""What was found, as tables, plots and reports; and the functions that find it."""
