import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simworld import cli, console
from simworld.benchmarks.causal2needles.write import write as write_causal2needles
from simworld.errors import CheckError, InputError
from tests.dominoes import make_run, write_suite

COMMANDS = [
    "demo",
    "scenes",
    "generate",
    "audit",
    "export",
    "evaluate",
    "score",
    "probe",
    "recover",
    "doctor",
]


def simworld(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "simworld", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def assert_one_error_line(stderr: str) -> None:
    assert re.fullmatch(r"simworld: error: [^\n]+\n", stderr), stderr


def test_help_lists_the_commands() -> None:
    done = simworld("--help")
    assert done.returncode == 0
    assert [name for name in COMMANDS if not re.search(rf"\b{name}\b", done.stdout)] == []


def test_help_is_fast() -> None:
    took_s = []
    for _ in range(4):  # the first writes byte code; a busy machine may slow some
        started_s = time.perf_counter()
        simworld("--help")
        took_s.append(time.perf_counter() - started_s)
    assert min(took_s) < 0.5


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, simworld.cli as c; c.run(['--help']);"
        "print(sorted({m.split('.')[0] for m in sys.modules} &"
        "{'pybullet', 'numpy', 'scipy', 'networkx', 'av', 'imageio', 'jinja2', 'pydantic'}),"
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_no_arguments_give_the_help() -> None:
    assert simworld().stdout == simworld("--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["nope"],
        ["generate"],
        ["generate", "demo", "--out", "x", "--workers", "0"],
        ["score", "causalstep", "--truth", "a", "--predictions", "b", "--restart", "later"],
        ["score", "nope"],
        ["score", "castbench", "--truth", "a", "--predictions", "b", "--bbox-format", "xy"],
        ["scenes", "--jso"],
    ],
)
def test_bad_usage_is_one_line_and_2(arguments: list[str]) -> None:
    done = simworld(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_error_line(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["generate", "no_such_recipe", "--out", "never-made"], "no_such_recipe"),
        (["audit", "no-such-suite"], "no-such-suite"),
        (["evaluate", "no-such-suite", "--models", "oracle", "--out", "never-made"], "no-such"),
        (
            ["score", "causalstep", "--truth", "no-such.jsonl", "--predictions", "x.jsonl"],
            "no-such.jsonl",
        ),
        (["scenes", "--scenes", "no-such-folder"], "no-such-folder"),
    ],
)
@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_bad_input_is_named_on_one_line_and_2(
    arguments: list[str], named: str, json_flag: list[str]
) -> None:
    done = simworld(*arguments, *json_flag)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert_one_error_line(done.stderr)
    assert named in done.stderr
    assert not Path("never-made").exists()


@pytest.mark.parametrize(
    ("raised", "code"), [(InputError("a\nb"), 2), (CheckError("a\nb"), 1), (OSError("a\nb"), 2)]
)
def test_errors_become_exit_codes(
    raised: Exception,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        raise raised

    monkeypatch.setattr("simworld.doctor.examine", fail)
    assert cli.run(["doctor"]) == code
    assert_one_error_line(capsys.readouterr().err)


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simworld.doctor.examine", interrupt)
    assert cli.run(["doctor"]) == 130


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("simworld.doctor.examine", fail)
    with pytest.raises(ZeroDivisionError):
        cli.run(["doctor"])


def test_json_is_the_only_thing_on_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    with console.stdout_kept(True) as stdout:
        subprocess.run(["echo", "noise of a child"], check=True)
        console.write_json({"é": [1]}, stdout)
        sys.stderr.write("noise\n")
    sys.stdout.write("afterwards\n")
    out, err = capfd.readouterr()
    assert json.loads(out.removesuffix("afterwards\n")) == {"é": [1]}
    assert "noise of a child" in err


def test_json_refuses_nan() -> None:
    with console.stdout_kept(True) as stdout, pytest.raises(ValueError, match="JSON"):
        console.write_json(float("nan"), stdout)


def test_plain_progress_writes_a_line_a_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress() as progress:
        for done in range(101):
            progress("clips", done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"clips: {done}/100" for done in range(0, 101, 10)]


@pytest.mark.slow
def test_doctor_finds_this_machine_fit() -> None:
    done = simworld("doctor", "--json")
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0, findings
    assert findings["physics"]["ok"] and findings["video"]["ok"]
    assert findings["numpy"]["found"][0].isdigit()


def test_scenes_lists_the_falling_cup() -> None:
    rows = json.loads(simworld("scenes", "--json").stdout)
    cup = next(row for row in rows if row["name"] == "falling_cup")
    assert {"bump", "slide", "fall", "impact", "shatter"} <= set(cup["variables"])
    assert "falling_cup" in simworld("scenes").stdout


def test_castbench_is_evaluated_and_scored(tmp_path: Path) -> None:
    evidence = {
        "evidence_start_time": "00:01",
        "evidence_end_time": "00:02",
        "evidence_instance_id": "ball",
        "bboxes_in_range": {"1": "[10, 20, 30, 40]", "2": "[12, 20, 32, 40]"},
    }
    row = {
        "video": "v.mp4",
        "question": "Why?",
        "options": dict(zip("ABCDEF", "abcdef", strict=True)),
        "answer": "C",
        "evidence": json.dumps([evidence]),
    }
    (tmp_path / "castbench_hf.jsonl").write_text(json.dumps(row) + "\n")
    run = str(tmp_path / "run")
    base = ["evaluate", str(tmp_path), "--benchmark", "castbench", "--out"]
    done = simworld(*base, str(tmp_path / "all"), "--models", "oracle,constant:A", "--json")
    assert json.loads(done.stdout)["oracle"]["metrics"]["faithful_rate"]["value"] == 1
    table = simworld(*base, run, "--models", "oracle", "--chain", "self").stdout
    assert "castbench: 1 questions" in table and "faithful_rate" in table
    answers = str(tmp_path / "run" / "answers.jsonl")
    score = ["score", "castbench", "--truth", str(tmp_path), "--predictions", answers]
    assert json.loads(simworld(*score, "--json").stdout)["metrics"]["accuracy"]["value"] == 1
    turned = simworld(*score, "--bbox-format", "yxyx_px", "--preset", "cli_default", "--json")
    metrics = json.loads(turned.stdout)["metrics"]
    assert (metrics["accuracy"]["value"], metrics["faithful_rate"]["value"]) == (1, 0)
    refused = simworld(*base, run, "--models", "oracle", "--restart", "prose")
    assert refused.returncode == 2
    assert_one_error_line(refused.stderr)


def test_causal2needles_is_exported_evaluated_and_scored(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    write_suite(suite, [make_run()])
    write_causal2needles(suite)
    (suite / "manifest.json").write_text("{}")
    out = tmp_path / "out"
    done = simworld("export", str(suite), "--to", "causal2needles", "--out", str(out))
    assert (done.returncode, done.stdout) == (0, f"{out / 'causal2needles'}\n")
    folder, run = str(out / "causal2needles"), str(tmp_path / "run")
    base = ["evaluate", folder, "--benchmark", "causal2needles", "--out", run]
    table = simworld(*base, "--models", "oracle,chance", "--narration", "copy").stdout
    assert "causal2needles: 1 videos, narration copy" in table
    assert "floor: chance" in table and "vg_avg_both" in table
    answers = tmp_path / "answers.jsonl"
    rows = [json.loads(line) for line in (Path(run) / "answers.jsonl").read_text().splitlines()]
    kept = ("video", "task", "order", "question", "output", "status")
    oracle = [{key: row[key] for key in kept} for row in rows if row["model"] == "oracle"]
    answers.write_text("".join(json.dumps(row) + "\n" for row in oracle))
    scored = ["score", "causal2needles", "--truth", folder, "--predictions", str(answers)]
    result = json.loads(simworld(*scored, "--json").stdout)
    assert {metric["value"] for metric in result["metrics"].values()} == {1.0}
    assert "floor: constant" in simworld(*scored).stdout
