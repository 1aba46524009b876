"""The importance methods of the literature, each in native Python and through R."""
