"""``python -m xcompare`` is the command line."""

from xcompare.cli import main

if __name__ == "__main__":
    main()
