from fractions import Fraction

from simworld.probes import probe
from simworld.video import VideoFacts


def test_a_suites_views_are_probed_as_well(twin_suite, monkeypatch):
    facts = VideoFacts(320, 240, Fraction(25, 2), 30)
    monkeypatch.setattr("simworld.models.wrappers._facts", lambda path: facts)
    bench = probe(twin_suite)["benchmarks"]["causalstep"]
    names = {row["probe"] for row in bench["rows"]}
    assert {"perception", "single_frame:perception", "mute_effect:perception"} <= names
    assert {row["sees"] for row in bench["rows"]} == {"media", "claims"}
