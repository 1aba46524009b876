"""The harness: data, plan, run, unit, store, in this order. `xcompare.results` presents the results."""
