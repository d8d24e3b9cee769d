"""A scene to start from: a script and its test, which pass as they stand."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from simworld.errors import InputError
from simworld.scene import library, library_folder
from simworld.store import write_text

HERE = Path(__file__).parent
PLACE = "SCENE_NAME"
IN_OWN_FOLDER = "Path(__file__).parents[1]"


def new_scene(name: str, scenes_dir: Path = Path("scenes")) -> tuple[Path, Path]:
    """Write a scene's script and its test.

    Args:
        name: What the scene is called.
        scenes_dir: Where the script goes; made if it is not there. The test goes to its folder
            `tests`, or, if it is the library of a checkout, to the checkout's `tests/scenes`.

    Returns:
        Paths of the script and of the test.

    Raises:
        InputError: The name cannot be a scene's or is taken, or a file is in the way.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(
            "expected a scene's name of small letters, digits and underscores that starts with a "
            f"letter, such as tipping_vase, found {name!r}"
        )
    if name in library():
        raise InputError(
            f"expected a new name for a scene, found {name!r}, which is in the library"
        )
    ours = library_folder()
    in_library = scenes_dir.resolve() == ours and (ours.parent / "tests" / "scenes").is_dir()
    checkout = scenes_dir.parent if scenes_dir.name == ours.name else ours.parent
    tests = checkout / "tests" / "scenes" if in_library else scenes_dir / "tests"
    script, test = scenes_dir / f"{name}.py", tests / f"test_{name}.py"
    for path in (script, test):
        if path.exists():
            raise InputError(f"expected no file at {path}, found one; choose another name")
    write_text(script, _filled("scene.txt", name))
    check = _filled("test.txt", name)
    if in_library:
        check = check.replace(IN_OWN_FOLDER, "None").replace("from pathlib import Path\n", "")
    write_text(test, check)
    return script, test


def _filled(template: str, name: str) -> str:
    return (HERE / template).read_text(encoding="utf-8").replace(PLACE, name)
