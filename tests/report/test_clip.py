import pytest

from simworld.errors import InputError
from simworld.report.clip import clip_tables, read_clip


def test_a_falling_cup_is_told(small_suite):
    known = read_clip(small_suite / "clips" / "falling_cup-0000-factual")
    settings, events, causes, questions = (rows for _, _, rows in clip_tables(known))
    assert ["floor", "bare"] in settings
    order = [row[2] for row in events if row[2] in ("bump", "slide", "fall", "impact", "shatter")]
    assert order == ["bump", "slide", "fall", "impact", "shatter"]
    assert ["bump = 1", "slide = 1", "trigger", "direct", "", "2"] in causes
    assert {row[0] for row in causes}.isdisjoint({"knock = 1"})
    assert ["hard_floor = 1", "shatter = 1"] in [row[:2] for row in causes]
    assert len(questions) == len(known["questions"]) > 0
    assert all(row[3] for row in questions)


def test_what_is_no_clip_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected a clip's folder, clips/<clip_id> in a suite"):
        read_clip(tmp_path)
