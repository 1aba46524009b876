"""Results as tables, plots and reports, and the functions that compute them."""
