"""The contract audit shows in numbers what each reading changes; the figures are known by hand."""

import pytest

from simworld.evaluate import RUNS
from simworld.models import make_model
from simworld.recovery.contract import AUDITED, contract
from simworld.store import write_jsonl


def audit(path, name):
    """Return the rows of a folder's audit by what is open and what is compared."""
    run = RUNS[name](path, {}, 0)
    results = {m: run.run(make_model(m), None, lambda *_: None)[1]["metrics"] for m in AUDITED}
    values = {m: {k: v["value"] for k, v in found.items()} for m, found in results.items()}
    return {(row["open"], row["compared"]): row["figures"] for row in contract(run, path, values)}


def find(rows, words):
    """Return the figures of the one row that has these words."""
    [figures] = [found for key, found in rows.items() if words in " ".join(key)]
    return figures


@pytest.fixture(scope="module")
def causalstep(small_folders):
    path = small_folders / "benchmarks" / "causalstep" / "causalstep.jsonl"
    return audit(path, "causalstep")


@pytest.fixture(scope="module")
def needles(small_folders):
    path = small_folders / "benchmarks" / "causal2needles" / "annotations.json"
    return audit(path, "causal2needles")


def test_algorithm1_gives_a_flawless_chain_m_points_more(causalstep, small_folders):
    scored = find(causalstep, "the oracle's weighted score")
    lengths = [2 + number % 7 for number in range(24)]
    assert scored["algorithm1"] - scored["prose"] == pytest.approx(sum(n - 1 for n in lengths) / 24)


def test_the_restart_moves_breaks_and_changes_ranks_and_the_scoring_moves_points_alone(causalstep):
    restart = find(causalstep, "prose with algorithm1 restart, prose scoring")
    # Always right in what is seen and wrong in what is caused: by the prose every segment but the
    # first is asked twice, so that a video of N has N - 1 breaks; by Algorithm 1 half of them.
    assert restart["rf"]["of"] == "right_evidence_wrong_answer"
    assert restart["rf"]["largest_shift"] < -1
    scoring = find(causalstep, "prose with prose restart, algorithm1 scoring")
    moved = {metric for metric, found in scoring.items() if found["largest_shift"] != 0}
    assert moved == {"ws"}
    ranks = find(causalstep, "in expectation")
    assert ranks["algorithm1 restart, prose scoring"]["rf"] > 0
    assert ranks["prose restart, algorithm1 scoring"]["ws"] > 0
    assert {found["csr"] for found in ranks.values()} == {0}


def test_the_longest_chain_of_all_is_never_below_the_mean(causalstep):
    figures = find(causalstep, "MCL < AMCL")
    assert figures["possible"] is True
    assert figures["least"] >= 0


def test_the_seven_figures_are_few_facts(causalstep):
    figures = find(causalstep, "how many facts")
    assert figures["amcl"]["rf"] > 0.9
    assert figures["dua"]["icra"] < figures["csr"]["ws"]


def test_what_icra_lacks_is_split_by_what_was_shown(causalstep):
    split = find(causalstep, "ICRA withholds")
    assert split["oracle"] == {"icra": 1, "lack_of_context": 0, "lack_of_causality": 0}
    assert split["right_evidence_wrong_answer"]["lack_of_causality"] == 1


def castbench(tmp_path, evidence_of):
    """Audit four questions; `evidence_of` gives the evidence of each."""
    rows = [
        {
            "video": f"{number}.mp4",
            "question": "Why?" if number < 2 else f"Why in {number}?",
            "options": dict.fromkeys("ABCDEF"[: 4 + number % 3], "so"),
            "answer": "B",
            "evidence": evidence_of(number),
        }
        for number in range(4)
    ]
    write_jsonl(tmp_path / "castbench_hf.jsonl", rows)
    return audit(tmp_path / "castbench_hf.jsonl", "castbench")


def evidence(name, start, end, boxes=True):
    box = {str(t): "[10, 20, 30, 60]" for t in range(start, end + 1)} if boxes else {}
    times = {"evidence_start_time": f"00:{start:02d}", "evidence_end_time": f"00:{end:02d}"}
    return times | {"evidence_instance_id": name, "bboxes_in_range": box}


def test_the_definitions_of_faithful_and_the_presets_differ_by_the_evidence(tmp_path):
    rows = castbench(tmp_path, lambda _: [evidence("a", 0, 3), evidence("b", 10, 13)])
    figures = find(rows, "definitions of faithful")
    official, default = figures["official"], figures["cli_default"]
    # One instance of two, boxes of IoU 0.15: one match reaches 0.1, the mean over both is 0.075.
    faint = official["first instance, IoU 0.15"]
    assert (faint["faithful_rate"], faint["faithful_rate_paper"]) == (1, 0)
    assert faint["im_viou"] == pytest.approx(0.26 / 1.74 / 2)
    assert default["boxes of IoU 0.15"]["faithful_rate"] == 0
    assert official["boxes of IoU 0.15"]["faithful_rate"] == 1
    assert official["exact"]["im_viou"] == default["exact"]["im_viou"] == 1
    # Without boxes even the right times count for nothing.
    assert official["right times, no boxes"]["im_tiou"] == 0
    assert official["boxes as y, x"]["im_viou"] == pytest.approx(100 / (800 + 800 - 100))


def test_evidence_that_can_never_be_matched_is_counted(tmp_path):
    def one_second_or_no_boxes(number):
        return [evidence("a", 5, 5) if number < 3 else evidence("b", 0, 3, boxes=False)]

    figures = find(castbench(tmp_path, one_second_or_no_boxes), "never matched")
    assert (figures["of_one_second"], figures["without_boxes"]) == (3, 1)
    assert figures["truth_scores"]["im_tiou"] == 0


def test_chance_and_the_rules_of_reading_in_castbench(tmp_path):
    rows = castbench(tmp_path, lambda _: [evidence("a", 0, 3)])
    chance = find(rows, "chance as published")
    assert chance["mean_of_1_over_options"] == pytest.approx((2 / 4 + 1 / 5 + 1 / 6) / 4)
    assert chance["best_constant"] == 1
    assert find(rows, "how answers are read") == {
        "questions_lost_to_a_shared_text": 1,
        "'E.' is read as": None,
        "'00:05.7' is read as s": 307,
        "trailing comma is read": True,
        "// comment is read": False,
    }


def test_a_constant_beats_chance_as_published_where_needles_stand_early(needles):
    chance = find(needles, "1 / mean N")
    assert chance["causal_1n"]["constant"] > 1.5 * chance["causal_1n"]["chance"]
    where = find(needles, "where needles stand")["1needle forward part 1"]
    assert max(map(int, where)) <= 6
    assert sum(where.values()) == pytest.approx(1)


def test_naming_every_scene_is_right_and_a_red_thing_is_the_letter_a(needles):
    lenient = find(needles, "a number anywhere")
    assert lenient["1-needle, every scene named"] == 1
    assert lenient["image, 'A red thing'"] == lenient["image, share with the answer A"] > 0
    assert lenient["'scene 7 for part 1' is read as"] is None


def test_edits_in_place_reach_later_questions_of_the_same_movie(needles):
    edits = find(needles, "sentences stay replaced")
    # Each of the movies has three questions: the second and the third are told edited sentences.
    assert edits["2needle_vg"]["told_otherwise"] * 3 == edits["2needle_vg"]["asked"] * 2
    assert edits["1needle"]["told_otherwise"] == 0
