"""Realmgate, an object database with live queries over HTTP: the program and the files that go with it."""

from pathlib import Path

#: The program, for those who start it themselves, with `subprocess.Popen([PROGRAM, "serve", ...])`.
PROGRAM = str(Path(__file__).parent / "bin" / "realmgate")
