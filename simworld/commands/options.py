"""Options that several commands have in common."""

from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout, all else on stderr.")
]
Seed = Annotated[int, typer.Option(help="Seed of the models' draws and of the intervals.")]
