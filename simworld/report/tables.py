"""Tables of what the judge found, as titles, headers and cells of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simworld.recovery.verdicts import VERDICTS

Table = tuple[str, list[str], list[list[str]]]
Json = Mapping[str, Any]

NAMED_AT_MOST = 3
_MARKS = {True: "yes", False: "NO", None: "-"}


def probe_tables(found: Json) -> Iterator[Table]:
    """Yield a table of shortcuts for each benchmark: a row for each, a column for each metric."""
    for name, bench in found["benchmarks"].items():
        metrics = list(dict.fromkeys(row["metric"] for row in bench["rows"]))
        models = list(dict.fromkeys(row["probe"] for row in bench["rows"]))
        cells = {(row["probe"], row["metric"]): row for row in bench["rows"]}
        first = {metric: cells[models[0], metric] for metric in metrics}
        rows = [
            ["chance, expected", "", *(_number(first[metric]["chance"]) for metric in metrics), ""]
        ]
        for model in models:
            mine = [cells.get((model, metric)) for metric in metrics]
            any_row = next(row for row in mine if row is not None)
            failed = f"{any_row['not_answered']:.0%}"
            rows.append([model, any_row["sees"], *map(_probe_cell, mine), failed])
        rows.append(["n", "", *(str(first[metric]["n"]) for metric in metrics), ""])
        title = f"{name}: {_size(bench)}; * above chance, p < {found['alpha']} by Holm"
        yield title, ["probe", "sees", *metrics, "not answered"], rows


def _probe_cell(row: Json | None) -> str:
    if row is None:
        return "-"
    star = "*" if row["above_chance"] else ""
    interval = "" if row["ci_low"] is None else f" [{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
    return f"{row['value']:.3f}{star}{interval}"


def recovery_tables(found: Json) -> Iterator[Table]:
    """Yield for each benchmark its verdicts, what models pass for, twins, and the contract."""
    for name, bench in found["benchmarks"].items():
        yield _verdict_table(name, bench)
        yield _pass_table(name, bench)
        if bench["paired"]:
            yield _paired_table(name, bench)
        if bench["compared"]:
            yield _compared_table(name, bench)
        for row in bench["contract"]:
            yield _contract_table(name, row, bench)
    if found["against_action"]:
        yield from _action_tables(found["against_action"])


def _size(bench: Json) -> str:
    return f"n {bench['n']}, {bench['clusters']} clusters"


def _verdict_table(name: str, bench: Json) -> Table:
    rows = []
    for metric, judged in bench["metrics"].items():
        verdicts = judged["verdicts"]
        marks = [_MARKS[verdicts[verdict]["passed"]] for verdict in VERDICTS]
        said = [
            f"{verdict}: {verdicts[verdict]['said']}"
            for verdict in VERDICTS
            if verdicts[verdict]["passed"] is not True
        ]
        rows.append([metric, *marks, "; ".join(said)])
    failed = max(model["not_answered"] for model in bench["models"].values())
    title = f"{name}, five verdicts: {_size(bench)}, at most {failed:.0%} not answered"
    return title, ["metric", *(v.replace("_", " ") for v in VERDICTS), "why not"], rows


def _pass_table(name: str, bench: Json) -> Table:
    """Show for each model the value and the causal competence that it would be taken for."""
    metrics = bench["metrics"]
    models = list(next(iter(metrics.values()))["passes_for"])
    rows = []
    for model in models:
        cells = []
        for metric, judged in metrics.items():
            value = bench["models"][model]["metrics"][metric]["value"]
            level = judged["passes_for"][model]
            cells.append(_number(value) + ("" if level is None else f" ({level:.2f})"))
        sees = bench["models"][model]["sees"]
        failed = f"{bench['models'][model]['not_answered']:.0%}"
        rows.append([model, sees, *cells, failed])
    title = f"{name}, values, and in brackets the causal competence they pass for: {_size(bench)}"
    return title, ["model", "sees", *metrics, "not answered"], rows


def _paired_table(name: str, bench: Json) -> Table:
    measures = list(next(iter(bench["paired"].values())))
    rows = [
        [model, *(f"{_number(found[m]['value'])} (n {found[m]['n']})" for m in measures)]
        for model, found in bench["paired"].items()
    ]
    title = (
        f"{name}, over {bench['pairs']} questions asked of both worlds of a twin: {_size(bench)}"
    )
    return title, ["model", *measures], rows


def _action_tables(action: Json) -> Iterator[Table]:
    """Show how often each model's changes work, then each metric beside that."""
    ranked = sorted(action["models"].items(), key=lambda one: -one[1])
    title = f"decisions, share of chosen changes that work: {_size(action)}"
    yield title, ["model", "works"], [[model, _number(value)] for model, value in ranked]
    rows = [
        [
            f"{bench}: {metric}",
            _number(found["tau"]),
            *(str(found[count]) for count in ("agrees", "ties", "turns")),
            _most(found["too_low"]),
            _most(found["too_high"]),
        ]
        for bench, metrics in action["metrics"].items()
        for metric, found in metrics.items()
    ]
    title = (
        f"metrics against action: Kendall's tau over {len(ranked)} models; action tells apart "
        f"{action['told_apart']} of their {action['pairs']} pairs: {_size(action)}"
    )
    headers = ["metric", "tau", "agrees", "ties", "turns round", "too low", "too high"]
    yield title, headers, rows


def _most(counts: Mapping[str, int]) -> str:
    """Name the models that a metric misplaces most, each with the number of its pairs."""
    named = [f"{model} ({n})" for model, n in list(counts.items())[:NAMED_AT_MOST]]
    return ", ".join(named) + (", ..." if len(counts) > NAMED_AT_MOST else "")


def _compared_table(name: str, bench: Json) -> Table:
    rows = [
        [model, str(found["alone_right"]), str(found["base_alone_right"]), _number(found["p"])]
        for model, found in bench["compared"].items()
    ]
    title = f"{name}, beside perfect eyes alone, question by question: {_size(bench)}"
    return title, ["model", "it alone right", "eyes alone right", "p (McNemar, Holm)"], rows


def _contract_table(name: str, row: Json, bench: Json) -> Table:
    """Lay figures out: a row for each path into them, a column for each name at their ends."""
    leaves = list(_leaves(row["figures"], ()))
    ends = list(dict.fromkeys(path[-1] for path, _ in leaves if len(path) > 1))
    title = f"{name}, left open: {row['open']}; {row['compared']}: {_size(bench)}"
    if not ends or len(ends) > 12:
        return title, ["", "value"], [[" / ".join(path), _text(value)] for path, value in leaves]
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for path, value in leaves:
        place, end = (path[:-1], path[-1]) if len(path) > 1 else (path, "value")
        cells.setdefault(place, {})[end] = _text(value)
    columns = [*ends, *(["value"] if any("value" in found for found in cells.values()) else [])]
    columns = list(dict.fromkeys(columns))
    rows = [[" / ".join(p), *(found.get(c, "") for c in columns)] for p, found in cells.items()]
    return title, ["", *columns], rows


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    else:
        yield path, value


def _text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return str(len(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _number(value)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
