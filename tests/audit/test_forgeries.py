"""One falsehood at a time, every digest mended after it: the audit names the claim."""

import pytest

from tests.audit.forge import CAUSALSTEP, FACTUAL, MECHANISM, QUESTIONS, RUG, TRUTH, mend
from tests.audit.question_forgeries import OF_QUESTIONS
from tests.audit.world_forgeries import OF_WORLDS, role_swapped

pytestmark = pytest.mark.slow


def claims(report) -> str:
    return "\n".join(map(str, report.failures))


def test_the_suite_as_generated_holds(inspect, small_suite):
    report = inspect(small_suite, workers=2)
    assert report.ok, claims(report)
    assert report.counts["verdicts"] > 100
    assert report.counts["rollouts"] > 400
    assert report.counts["non-edges"] > 100


@pytest.mark.parametrize("forge", [*OF_WORLDS, *OF_QUESTIONS], ids=lambda forge: forge.__name__)
def test_a_falsehood_with_mended_digests_is_named(forge, forged, inspect):
    claim = forge(forged)
    mend(forged)
    report = inspect(forged, workers=2)
    assert not report.ok
    assert claim in claims(report)
    assert not any("sha256" in failure.expected for failure in report.failures)


@pytest.mark.parametrize(
    "name", [TRUTH, MECHANISM, QUESTIONS, f"clips/{FACTUAL}/video.mp4", CAUSALSTEP, "README.md"]
)
def test_a_changed_file_is_named_by_its_digest(name, forged, inspect):
    with (forged / name).open("ab") as file:
        file.write(b"\n")
    report = inspect(forged, workers=2)
    assert name in [failure.claim for failure in report.failures]


def test_a_missing_and_an_extra_file_are_named(forged, inspect):
    (forged / "clips" / RUG / "events.json").unlink()
    (forged / "clips" / RUG / "notes.txt").write_text("")
    report = inspect(forged, workers=2)
    named = [failure.claim for failure in report.failures]
    assert {f"clips/{RUG}/events.json", f"clips/{RUG}/notes.txt"} <= set(named)
    assert "sha256" in str(report.failures[0])


def test_a_digest_that_fails_hides_no_false_claim(forged, inspect):
    claim = role_swapped(forged)
    report = inspect(forged, workers=2)
    assert MECHANISM in [failure.claim for failure in report.failures]
    assert claim in claims(report)


@pytest.mark.parametrize("name", [TRUTH, MECHANISM, QUESTIONS, "twins.jsonl", CAUSALSTEP])
def test_a_file_of_another_shape_is_a_failure_and_no_crash(name, forged, inspect):
    (forged / name).write_text('{"schema": 1}\n')
    mend(forged)
    assert not inspect(forged, workers=2).ok
