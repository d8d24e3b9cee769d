"""The commands that write something to start from."""

from pathlib import Path
from typing import Annotated

import typer

from simworld import console
from simworld.commands.options import Json

_app = typer.Typer(help="Write something to start from.")


def add_to(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(_app, name="new")


@_app.command()
def scene(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    scenes_dir: Annotated[
        Path, typer.Option("--scenes", metavar="DIR", help="Where it goes; made if need be.")
    ] = Path("scenes"),
    json: Json = False,
) -> None:
    """Write a scene's script and its test, which pass as they stand."""
    from simworld.starter import new_scene

    with console.stdout_kept(json) as stdout:
        script, test = new_scene(name, scenes_dir)
        if json:
            console.write_json({"script": str(script), "test": str(test)}, stdout)
        else:
            typer.echo(f"{script}\n{test}\nrun the test with: pytest {test}")


@_app.callback()
def _new() -> None:
    """Keep `scene` a word of its own: a group of one command would swallow it."""
