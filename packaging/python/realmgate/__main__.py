"""Runs the program in place of the Python interpreter: with its process, signals, streams and exit code."""

import os
import sys

from . import PROGRAM


def main():
    try:
        os.execv(PROGRAM, ["realmgate", *sys.argv[1:]])
    except OSError as error:
        print(f"realmgate: '{PROGRAM}' cannot be run: {error.strerror}. Install the package again.", file=sys.stderr)
        # EX_UNAVAILABLE
        sys.exit(69)


if __name__ == "__main__":
    main()
