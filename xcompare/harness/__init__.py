"""The comparison harness: data, plan, units, store, table. One module per step, in this order."""
