"""The version of xcompare; the package metadata is read from here."""

__version__ = "0.4.0"
