"""The harness: data, plan, run, unit, store, in this order. What was found is for `xcompare.results`."""
