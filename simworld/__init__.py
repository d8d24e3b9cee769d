"""Scripted physics scenes whose causal claims are checked by intervening and simulating again."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simworld.audit import audit
    from simworld.evaluate import evaluate
    from simworld.lab import intervene
    from simworld.scene import load_scene
    from simworld.suite import generate

__version__ = "0.1.0"

__all__ = ["audit", "evaluate", "generate", "intervene", "load_scene"]

_HOMES = {
    "audit": "simworld.audit",
    "evaluate": "simworld.evaluate",
    "generate": "simworld.suite",
    "intervene": "simworld.lab",
    "load_scene": "simworld.scene",
}


def __getattr__(name: str) -> Any:
    """Import a public function when it is first asked for, so that importing simworld is cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
