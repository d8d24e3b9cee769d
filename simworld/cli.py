"""The command line: it parses, calls the package's functions, and prints.

Exit codes: 0 done, 1 a check failed, 2 bad usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from simworld import console
from simworld.commands import judge, look, new
from simworld.commands.options import Json, Scenes, Seed
from simworld.errors import InputError, SimworldError

app = typer.Typer(
    help="Make causal video-QA suites whose truth was checked by intervening, and score on them.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
score_app = typer.Typer(help="Score predictions from the benchmark's files alone.")
app.add_typer(score_app, name="score")

BENCHMARKS = ("causalstep", "castbench", "causal2needles")
DEMO_MODELS = ["oracle", "chance", "temporal_neighbour"]

Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes that simulate.", show_default="one a core"),
]
Reading = Literal["prose", "algorithm1"]
RESTART = typer.Option(help="CausalStep: where a broken chain starts anew, by which text.")
SCORING = typer.Option(help="CausalStep: what a causal answer earns, by which text.")
Preset = Literal["official", "cli_default"]
PRESET = typer.Option(help="CaST-Bench: thresholds, as published or as its program's defaults.")
BboxFormat = Literal["xyxy_px", "yxyx_px", "xyxy_n1000", "yxyx_n1000"]
BBOX_FORMAT = typer.Option(help="CaST-Bench: order and unit of predicted boxes.")
CHAIN = typer.Option(help="CaST-Bench: whose evidence comes before the answer; all if not given.")
NARRATION = typer.Option(
    help="Causal2Needles: whether sentences stay replaced for later questions."
)
Suite = Annotated[Path, typer.Argument(metavar="DIR", help="A suite folder.")]


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; mistakes come out as one line on stderr.

    Args:
        arguments: what follows the program's name; none asks for the help.

    Returns:
        The exit code.
    """
    try:
        code = app(arguments or ["--help"], prog_name="simworld", standalone_mode=False)
    except typer.TyperException as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "simworld")
        console.error(f"{error.format_message().rstrip('.')}; see: {command} --help")
        return 2
    except InputError as error:
        console.error(error)
        return 2
    except SimworldError as error:
        console.error(error)
        return 1
    except OSError as error:
        console.error(f"the system refused: {error}")
        return 2
    if code == 130:
        console.error("interrupted; the same command again goes on from here")
    return code or 0


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Where the suite goes.")] = Path("generated/demo"),
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Generate the demo suite, score three models on it, write its page."""
    from simworld.evaluate import evaluate as run_evaluation
    from simworld.report import write_page
    from simworld.suite import generate as run_recipe

    with console.stdout_kept(json) as stdout:
        with console.progress() as progress:
            run_recipe(
                "demo", out, workers=workers, overrides=[], scenes_dir=None, progress=progress
            )
            runs = {name: out / "runs" / name for name in BENCHMARKS}
            results = {
                name: run_evaluation(
                    out, models=DEMO_MODELS, out=run, benchmark=name, progress=progress
                )
                for name, run in runs.items()
            }
        page = write_page(out, list(runs.values()))
        if json:
            folders = {name: str(run) for name, run in runs.items()}
            document = {"suite": str(out), "runs": folders, "page": str(page)}
            console.write_json(document | {"results": results}, stdout)
        else:
            for result in results.values():
                console.print_results(result)
            typer.echo(page)


look.add_to(app)
new.add_to(app)


@app.command()
def generate(
    recipe: Annotated[str, typer.Argument(help="A TOML file, or the name of a shipped recipe.")],
    out: Annotated[Path, typer.Option(help="Where the suite goes; it goes on where it stopped.")],
    workers: Workers = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one value of the recipe."),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Do the I-th of N parts; the last to end finishes it."),
    ] = None,
    scenes_dir: Scenes = None,
    json: Json = False,
) -> None:
    """Make a suite from a recipe."""
    from simworld.suite import generate as run_recipe

    with console.stdout_kept(json) as stdout:
        with console.progress() as progress:
            manifest = run_recipe(
                recipe,
                out,
                workers=workers,
                overrides=overrides or [],
                scenes_dir=scenes_dir,
                shard=shard,
                progress=progress,
            )
        if json:
            console.write_json(manifest, stdout)
        elif "unfinished" in manifest:
            typer.echo(f"shard {shard} is done; others have {manifest['unfinished']} parts to do")
        else:
            for reason, count in manifest["rejections"].items():
                typer.echo(f"rejected and drawn again, {count} times: {reason}")
            dropped: Counter[tuple[str, str]] = Counter()
            for row in manifest["no_questions"]:
                what = f"{row['benchmark']} {row['kind'] or ''}".strip()
                dropped[what, row["reason"]] += max(1, row["count"])
            for (kind, reason), count in dropped.items():
                typer.echo(f"no {kind} question, {count} times: {reason}")
            typer.echo(f"{len(manifest['artefacts'])} files, digest {manifest['digest']}")
            typer.echo(out)


@app.command()
def audit(
    suite: Suite, workers: Workers = None, scenes_dir: Scenes = None, json: Json = False
) -> int:
    """Simulate again and check every claim and digest in a suite."""
    from simworld.audit import audit as run_audit

    with console.stdout_kept(json) as stdout:
        with console.progress() as progress:
            report = run_audit(suite, workers=workers, scenes_dir=scenes_dir, progress=progress)
        if json:
            console.write_json(report.to_json(), stdout)
        else:
            for claim in report.failures:
                typer.echo(f"false: {claim}")
            for what, count in report.counts.items():
                typer.echo(f"{what}: {count}")
            typer.echo(
                "every claim holds"
                if report.ok
                else f"claims that do not hold: {len(report.failures)}"
            )
    return 0 if report.ok else 1


@app.command()
def export(
    suite: Suite,
    to: Annotated[str, typer.Option(metavar="NAME[,NAME]", help="Formats.")],
    out: Annotated[Path, typer.Option(help="Where a folder for each goes; new or empty.")],
    scenes_dir: Scenes = None,
    json: Json = False,
) -> None:
    """Take what a suite holds out of it, in one format or several."""
    from simworld.export import export as run_export

    with console.stdout_kept(json) as stdout:
        written = run_export(suite, to=to.split(","), out=out, scenes_dir=scenes_dir)
        folders = [str(folder) for folder in written]
        if json:
            console.write_json(folders, stdout)
        else:
            typer.echo("\n".join(folders))


@app.command()
def evaluate(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A suite, or one benchmark's folder.")
    ],
    models: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME]",
            help="Who answers: oracle, chance, perception, competence:C/Q, replay:FILE, ...; "
            "ladder or probes for a set of them.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="RUN", help="Where answers and results go.")],
    benchmark: Annotated[
        str,
        typer.Option(help="Whose protocol: causalstep, castbench, causal2needles or decisions."),
    ] = "causalstep",
    restart: Annotated[Reading | None, RESTART] = None,
    scoring: Annotated[Reading | None, SCORING] = None,
    chain: Annotated[Literal["none", "self", "given", "all"] | None, CHAIN] = None,
    preset: Annotated[Preset | None, PRESET] = None,
    bbox_format: Annotated[BboxFormat | None, BBOX_FORMAT] = None,
    narration: Annotated[Literal["in_place", "copy"] | None, NARRATION] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often everything is asked.")] = 1,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Run a benchmark's protocol on models, and score them."""
    from simworld.evaluate import evaluate as run_evaluation

    given: dict[str, Any] = {
        "restart": restart,
        "scoring": scoring,
        "chain": chain,
        "preset": preset,
        "bbox_format": bbox_format,
        "narration": narration,
    }
    with console.stdout_kept(json) as stdout:
        with console.progress() as progress:
            results = run_evaluation(
                folder,
                models=models.split(","),
                out=out,
                benchmark=benchmark,
                seed=seed,
                repeats=repeats,
                progress=progress,
                **{name: value for name, value in given.items() if value is not None},
            )
        if json:
            console.write_json(results, stdout)
        else:
            console.print_results(results)


judge.add_to(app)


@score_app.command("causalstep")
def score_causalstep(
    truth: Annotated[Path, typer.Option(help="A causalstep.jsonl, or the folder that holds it.")],
    predictions: Annotated[Path, typer.Option(help="JSON lines, as README shows.")],
    restart: Annotated[Reading, RESTART] = "prose",
    scoring: Annotated[Reading, SCORING] = "prose",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """CausalStep: chain metrics under one reading, and isolated accuracies."""
    from simworld.benchmarks.causalstep.metrics import score

    with console.stdout_kept(json) as stdout:
        result = score(truth, predictions, restart=restart, scoring=scoring, seed=seed)
        if json:
            console.write_json(result, stdout)
        else:
            console.print_results({predictions.name: result})


@score_app.command("castbench")
def score_castbench(
    truth: Annotated[Path, typer.Option(help="A castbench_hf.jsonl, or the folder that holds it.")],
    predictions: Annotated[Path, typer.Option(help="JSON lines, each with prompt and predict.")],
    preset: Annotated[Preset, PRESET] = "official",
    bbox_format: Annotated[BboxFormat, BBOX_FORMAT] = "xyxy_px",
    videos: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The videos, where boxes in thousandths need their size."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """CaST-Bench: answers, and the evidence for them in time and space."""
    from simworld.benchmarks.castbench.metrics import score

    with console.stdout_kept(json) as stdout:
        result = score(truth, predictions, preset, bbox_format, seed=seed, videos=videos)
        if json:
            console.write_json(result, stdout)
        else:
            console.print_results({predictions.name: result})


@score_app.command("causal2needles")
def score_causal2needles(
    truth: Annotated[Path, typer.Option(help="The folder with annotations.json and windows.json.")],
    predictions: Annotated[Path, typer.Option(help="JSON lines, as README shows.")],
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Causal2Needles: where a cause and its effect are, apart and together, in both orders."""
    from simworld.benchmarks.causal2needles.metrics import score

    with console.stdout_kept(json) as stdout:
        result = score(truth, predictions, seed=seed)
        if json:
            console.write_json(result, stdout)
        else:
            console.print_results({predictions.name: result})


@score_app.command("decisions")
def score_decisions(
    truth: Annotated[Path, typer.Option(help="A decisions.jsonl, or the folder that holds it.")],
    predictions: Annotated[Path, typer.Option(help="JSON lines, as README shows.")],
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Decisions: how often the change that was chosen prevents what went wrong."""
    from simworld.benchmarks.decisions.metrics import score

    with console.stdout_kept(json) as stdout:
        result = score(truth, predictions, seed=seed)
        if json:
            console.write_json(result, stdout)
        else:
            console.print_results({predictions.name: result})


@app.command()
def doctor(json: Json = False) -> int:
    """Say what this machine has and lacks, and the line that mends it."""
    from simworld.doctor import examine

    with console.stdout_kept(json) as stdout:
        findings = examine()
        if json:
            console.write_json([finding.to_json() for finding in findings], stdout)
        else:
            for finding in findings:
                typer.echo(str(finding))
    return 0 if all(finding.ok or not finding.needed for finding in findings) else 1
