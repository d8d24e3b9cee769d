"""Commands that are too many for one module; `simworld.cli` adds them to the program."""
