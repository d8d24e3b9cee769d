"""The numbers of candidates, counted by hand."""

from simworld.qa.balance import balance, left_out
from simworld.qa.filters import filter_counts, filters_section
from simworld.qa.items import Drop, Question
from tests.qa.test_balance import alone, candidate

REJECTIONS = {
    "UnstableError: noise of 2%: fall": 2,
    "UnstableError: noise of 2%: slide": 1,
    "Rejected: too close": 1,
}


def test_what_is_asked_and_what_fell_add_up():
    worlds = [candidate(k, alone(name)) for k, name in enumerate("stuvwxs")]
    closed = Question("g-0000", "c", "decisions", "repair", 1, "?", (), ())
    asked = balance([*worlds, closed], seed=0)
    drops = [
        *left_out(worlds, asked),
        Drop("s8", 1, "k", "no account is proven right", benchmark="castbench"),
        Drop("s9", 1, "k", "one answer less", 0, "evidence_not_visible", "castbench"),
        Drop("s9", 1, "k", "no answer is left", 1, "evidence_not_visible", "castbench"),
        Drop("s9", 0, "1needle", "not alone", 4, benchmark="causal2needles"),
    ]
    counts = filter_counts(asked, drops, REJECTIONS, 7, {"paired": 3, "masked": 2})
    row = {"not_proven": 0, "evidence_not_visible": 0, "text_balance": 0}
    assert counts == {
        "contexts": {
            "kept": 7, "unstable": 3, "implausible": 0, "disturbed": 0, "not_showable": 1
        },
        "questions": {
            "castbench": {
                "candidates": 9, "asked": 6,
                "not_proven": 1, "evidence_not_visible": 1, "text_balance": 1,
            },
            "causal2needles": {"candidates": 4, "asked": 0, **row, "not_proven": 4},
            "decisions": {"candidates": 1, "asked": 1, **row},
        },
        "evidence_masked": {"paired": 3, "masked": 2},
        "notes": [],
    }  # fmt: skip
    section = filters_section(counts)
    assert "7 contexts are kept; 4 were drawn again, 3 of these since small noise" in section
    assert "| castbench | 9 | 6 | 1 | 1 | 1 |" in section


def test_a_suite_too_small_to_balance_says_so():
    [asked] = balance([candidate(0, alone("s"))], seed=0)
    counts = filter_counts([asked], [], {}, 1, {"paired": 0, "masked": 0})
    [note] = counts["notes"]
    assert note.startswith("CaST-Bench's questions are not balanced: ")
    assert filters_section(counts).endswith(f"\n\n{note}")
