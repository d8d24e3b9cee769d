"""Run the command line: `python -m simworld`."""

from simworld.cli import main

if __name__ == "__main__":
    main()
