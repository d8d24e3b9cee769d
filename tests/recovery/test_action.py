"""Metrics held against action: who acts better, who scores higher, and where the two part."""

import pytest

from simworld.benchmarks.decisions.schema import Decision
from simworld.recovery import recover
from simworld.recovery.action import against_action

GROUPS = 12


def decisions():
    return [
        Decision(
            question_id=f"q{k}",
            video=f"videos/{k}.mp4",
            question=f"What, in {k}?",
            options={"A": "this", "B": "that"},
            answer="A",
            group=f"g{k // 2}",
        )
        for k in range(2 * GROUPS)
    ]


def choosing(share):
    """Choose what works in the first questions, up to a share of all."""
    return {f"q{k}": "A" if k < share * 2 * GROUPS else "B" for k in range(2 * GROUPS)}


CHOSEN = {"good": choosing(1), "fair": choosing(0.5), "bad": choosing(0)}


def test_a_metric_that_turns_models_round_is_told_with_their_names():
    values = {
        "bench": {
            "good": {"follows": 0.9, "turns": 0.1, "rf": 1.0, "unasked": None},
            "fair": {"follows": 0.5, "turns": 0.5, "rf": 2.0, "unasked": None},
            "bad": {"follows": 0.1, "turns": 0.9, "rf": 3.0, "unasked": None},
        }
    }
    found = against_action(decisions(), CHOSEN, values)
    assert found["models"] == {"good": 1, "fair": 0.5, "bad": 0}
    assert found["n"] == 24
    # Twelve groups to none: 2 / 2^12; six to none: 2 / 2^6 = 0.031, which Holm doubles.
    assert (found["pairs"], found["told_apart"]) == (3, 1)
    metrics = found["metrics"]["bench"]
    assert metrics["follows"]["tau"] == metrics["rf"]["tau"] == pytest.approx(1)  # few breaks
    assert metrics["turns"]["tau"] == pytest.approx(-1)
    tallied = "agrees", "ties", "turns"
    counts = {name: [found[each] for each in tallied] for name, found in metrics.items()}
    assert counts == {"follows": [1, 0, 0], "turns": [0, 0, 1], "rf": [1, 0, 0]}
    assert metrics["turns"]["too_low"] == {"good": 1}
    assert metrics["turns"]["too_high"] == {"bad": 1}


def test_questions_of_one_group_are_no_independent_witnesses():
    together = [d.model_copy(update={"group": "one"}) for d in decisions()]
    assert against_action(together, CHOSEN, {"b": {m: {} for m in CHOSEN}})["told_apart"] == 0


def test_a_suite_with_decisions_tells_how_its_metrics_go_with_action(action_suite):
    found = recover(action_suite)
    verdicts = found["benchmarks"]["decisions"]["metrics"]["repair_success"]["verdicts"]
    assert all(verdicts[name]["passed"] for name in ("range", "closed_form", "order"))
    action = found["against_action"]
    assert action["models"]["competence:1/0"] == 1
    assert action["metrics"].keys() == {"causalstep"}
    # Who knows every cause acts well whatever it sees, and a description by itself is all eyes.
    icra, dua = (action["metrics"]["causalstep"][name] for name in ("icra", "dua"))
    assert (icra["turns"], icra["ties"]) == (0, 0)
    assert icra["tau"] > 0.8 > 0.4 > dua["tau"]
    low = ["right_answer_wrong_evidence", "competence:1/0"]
    assert list(dua["too_low"])[:2] == low
    assert "competence:0/1" in dua["too_high"]


def test_a_folder_without_decisions_says_nothing_of_action(tmp_path, video_row, write_rows):
    write_rows(tmp_path / "causalstep.jsonl", [video_row(3)])
    assert recover(tmp_path)["against_action"] is None
