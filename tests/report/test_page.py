import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from simworld.errors import InputError
from simworld.report import write_page


def player_data(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def test_page_stands_alone(suite: Path) -> None:
    html = write_page(suite).read_text("utf-8")
    assert not re.search(r'(src|href)="(https?:|/)', html), "nothing is fetched from elsewhere"
    assert set(re.findall(r'<video src="([^"]+)"', html)) == {
        "clips/c0-f/video.mp4",
        "clips/c0-bump/video.mp4",
    }
    assert "<link" not in html


def test_boxes_are_embedded_and_absent_ones_are_null(suite: Path) -> None:
    data = player_data(write_page(suite).read_text("utf-8"))
    factual = data["clips"][0]
    assert factual["names"] == ["ball", "mug", "table"]
    assert factual["moving"] == ["ball"]
    assert factual["boxes"][0] == [None, [200, 80, 240, 140], [10, 140, 300, 200]]
    assert factual["boxes"][1][0] == [60, 100, 100, 140]
    assert (data["fps"], data["divergence_frame"]) == (12, 1)


def test_page_says_what_was_done_and_what_changed(suite: Path) -> None:
    html = write_page(suite).read_text("utf-8")
    assert "The ball is not released." in html
    assert "<code>do(bump := 0)</code>" in html
    changed, stayed = re.findall(r"<p><b>(?:Changed|Stayed)</b>(.*?)</p>", html)
    assert re.findall(r">(\w+)</span>", changed) == ["bump", "slide", "fall", "impact", "shatter"]
    assert re.findall(r">(\w+)</span>", stayed) == ["hard_floor", "brittle_mug"]


def test_the_right_option_is_marked_and_texts_are_escaped(suite: Path) -> None:
    html = write_page(suite).read_text("utf-8")
    right = re.findall(r'<li class="right">\s*<b>(\w)</b>', html)
    assert right == ["A", "A"]
    assert "the &lt;mug&gt; move" in html
    assert "irrelevant plausible" in html


def test_results_stand_with_what_each_model_sees_and_the_reading(suite: Path, run: Path) -> None:
    html = write_page(suite, [run]).read_text("utf-8")
    table = html[html.index('<table class="results">') :]
    assert "causalstep: 2 videos, restart prose, scoring algorithm1" in table
    assert re.findall(r"<tr><th>(\w+)</th><td>(\w+)</td>", table) == [
        ("oracle", "truth"),
        ("chance", "media"),
    ]
    cells = re.findall(r'<td class="number">([^<]*)(?:<small>([^<]*)</small>)?</td>', table)
    assert cells[3:] == [("0.125", "0.000 to 1.000"), ("2.500", ""), ("not asked", "")]


def test_tags_balance(suite: Path, run: Path) -> None:
    class Balance(HTMLParser):
        void = frozenset({"meta", "input", "link", "br"})

        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in self.void:
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    parser = Balance()
    parser.feed(write_page(suite, [run]).read_text("utf-8"))
    assert parser.open == []


def test_the_same_suite_gives_the_same_page(suite: Path) -> None:
    assert write_page(suite).read_bytes() == write_page(suite).read_bytes()


def test_a_missing_file_is_named(suite: Path) -> None:
    (suite / "clips" / "c0-f" / "truth.json").unlink()
    with pytest.raises(InputError, match=r"c0-f/truth\.json"):
        write_page(suite)
