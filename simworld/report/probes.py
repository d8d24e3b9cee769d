"""The page of probes: each shortcut's value and interval beside chance, as table and figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simworld.report.tables import probe_tables
from simworld.store import write_text

Json = dict[str, Any]

WIDTH_PX = 720
LEFT_PX = 260
RIGHT_PX = 20
ROW_PX = 22


def write_probes(found: Mapping[str, Any], path: Path) -> Path:
    """Write one static HTML page, with an inline SVG figure for each metric.

    Args:
        found: What `simworld.probes.probe` returned.
        path: The page.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("simworld.report"), autoescape=True, undefined=StrictUndefined
    )
    style = (Path(__file__).parent / "templates" / "style.css").read_text("utf-8")
    html = environment.get_template("probes.html.j2").render(
        name=found["folder"],
        style=Markup(style),
        tables=list(probe_tables(found)),
        figures={name: figures(bench) for name, bench in found["benchmarks"].items()},
        width=WIDTH_PX,
    )
    write_text(path, html)
    return path


def figures(bench: Mapping[str, Any]) -> list[Json]:
    """Return for each metric where its dots, intervals and chance stand, in pixels."""
    metrics = list(dict.fromkeys(row["metric"] for row in bench["rows"]))
    drawn = []
    for metric in metrics:
        rows = [row for row in bench["rows"] if row["metric"] == metric]
        drawn.append(
            {
                "metric": metric,
                "n": rows[0]["n"],
                "height": ROW_PX * (len(rows) + 2),
                "chance_px": _x(rows[0]["chance"]),
                "chance": rows[0]["chance"],
                "ticks": [{"value": tick / 4, "x_px": _x(tick / 4)} for tick in range(5)],
                "dots": [_dot(row, number) for number, row in enumerate(rows)],
            }
        )
    return drawn


def _dot(row: Json, number: int) -> Json:
    low, high = row["ci_low"], row["ci_high"]
    return {
        "probe": row["probe"],
        "above": bool(row["above_chance"]),
        "value": row["value"],
        "x_px": _x(row["value"]),
        "y_px": ROW_PX * number + ROW_PX,
        "low_px": None if low is None else _x(low),
        "high_px": None if high is None else _x(high),
        "interval": "" if low is None else f"{low:.3f} to {high:.3f}",
    }


def _x(value: float) -> float:
    """Return where a share stands from left to right."""
    return round(LEFT_PX + value * (WIDTH_PX - LEFT_PX - RIGHT_PX), 1)
