"""Files are whole or not there, the same data are the same bytes, and errors name the file."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld import store
from simworld.errors import InputError
from simworld.store import (
    Suite,
    canonical,
    digest_of,
    read_json,
    read_jsonl,
    sha256_of,
    write_json,
    write_jsonl,
    write_text,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
).filter(lambda data: "Infinity" not in json.dumps(data))


@given(st.dictionaries(st.text(), JSON))
def test_canonical_json_reads_back_whatever_the_order(data):
    turned = dict(reversed(data.items()))
    assert canonical(data) == canonical(turned)
    assert json.loads(canonical(data)) == data
    assert digest_of(data) == digest_of(turned)


def test_canonical_json_is_sorted_and_tight():
    assert canonical({"b": [1, 2.5, None], "a": "é"}) == '{"a":"\\u00e9","b":[1,2.5,null]}'


def test_the_digest_is_sha256_of_the_canonical_text():
    assert digest_of({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize("write", [canonical, lambda data: write_json(Path("/nowhere"), data)])
def test_what_json_cannot_hold_is_refused(write):
    with pytest.raises(ValueError, match="Out of range float values"):
        write({"a": float("nan")})


def test_the_sha256_of_a_file(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256_of(tmp_path / "abc").startswith("ba7816bf8f01cfea414140de5dae2223")


# Whole or not at all


def test_a_file_is_written_with_its_folders(tmp_path):
    write_text(tmp_path / "a" / "b" / "c.txt", "one\r\ntwo ü\n")
    assert (tmp_path / "a/b/c.txt").read_bytes() == "one\r\ntwo ü\n".encode()


def test_a_kill_before_the_end_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "file.json"
    write_json(path, {"old": 1})

    def killed(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_json(path, {"new": 2})
    assert read_json(path) == {"old": 1}
    with pytest.raises(KeyboardInterrupt):
        write_json(tmp_path / "other.json", {})
    assert not (tmp_path / "other.json").exists()


def test_it_reaches_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    path, seen = tmp_path / "file.txt", []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(path.exists()) or fsync(fd))
    write_text(path, "text")
    assert seen == [False]
    assert [found.name for found in tmp_path.iterdir()] == ["file.txt"]


def test_what_a_kill_left_is_no_artefact_and_is_written_over(tmp_path):
    left = tmp_path / f".file.txt.{os.getpid()}.partial"
    left.write_text("half")
    assert Suite(tmp_path).artefacts() == {}
    write_text(tmp_path / "file.txt", "whole")
    assert not left.exists()
    assert list(Suite(tmp_path).artefacts()) == ["file.txt"]


# Reading


def test_rows_come_back_in_order(tmp_path):
    rows = [{"b": 1, "a": "ü\n"}, {}, {"c": [None]}]
    write_jsonl(tmp_path / "rows.jsonl", rows)
    assert list(read_jsonl(tmp_path / "rows.jsonl")) == rows
    text = (tmp_path / "rows.jsonl").read_text()
    assert text.count("\n") == 3 and text.startswith('{"b": 1')


def test_a_missing_file_is_named_with_what_to_do(tmp_path):
    with pytest.raises(InputError, match=r"manifest\.json, found none; .* same generate again"):
        _ = Suite(tmp_path).manifest
    with pytest.raises(InputError, match=r"expected the file .*questions\.jsonl, found none"):
        Suite(tmp_path).questions()


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00"])
def test_what_is_no_json_is_named(tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=r"expected JSON in .*bad\.json, found: "):
        read_json(tmp_path / "bad.json")


def test_a_bad_row_is_named_by_its_line(tmp_path):
    (tmp_path / "bad.jsonl").write_text('{}\n{}\n{"a": }\n')
    rows = read_jsonl(tmp_path / "bad.jsonl")
    assert [next(rows), next(rows)] == [{}, {}]
    with pytest.raises(InputError, match=r"bad\.jsonl, line 3: "):
        next(rows)


@pytest.mark.parametrize("read", [read_json, lambda path: list(read_jsonl(path))])
def test_what_is_no_text_is_named(tmp_path, read):
    (tmp_path / "bad").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InputError, match=r"expected JSON in .*bad"):
        read(tmp_path / "bad")


# A suite's folder


@pytest.fixture
def suite(tmp_path):
    for clip in ("cup-0001-factual", "cup-0000-factual", "cup-0000-rug"):
        write_json(tmp_path / "clips" / clip / "truth.json", {"clip": clip})
        write_json(tmp_path / "clips" / clip / "events.json", [])
        write_json(tmp_path / "clips" / clip / "segments.json", [{"index": 1}])
    (tmp_path / "clips" / ".cup-0002-factual.partial").mkdir()
    (tmp_path / "clips" / "notes.txt").write_text("no clip")
    write_json(tmp_path / "mechanisms" / "cup.json", {"scene": "cup"})
    write_jsonl(tmp_path / "questions.jsonl", [{"question_id": "q"}])
    write_jsonl(tmp_path / "twins.jsonl", [{"twin_id": "t"}])
    write_json(tmp_path / "manifest.json", {"schema": store.SCHEMA})
    return Suite(tmp_path)


def test_clips_and_scenes_are_found_in_order(suite):
    assert suite.clip_ids == ("cup-0000-factual", "cup-0000-rug", "cup-0001-factual")
    assert suite.scenes == ("cup",)


def test_each_file_is_read_from_its_place(suite):
    assert suite.truth("cup-0000-rug") == {"clip": "cup-0000-rug"}
    assert suite.events("cup-0000-rug") == []
    assert suite.segments("cup-0000-rug") == [{"index": 1}]
    assert suite.mechanism("cup") == {"scene": "cup"}
    assert suite.questions() == [{"question_id": "q"}]
    assert suite.twins() == [{"twin_id": "t"}]
    assert suite.manifest == {"schema": 1}


def test_artefacts_are_all_files_but_the_manifest_the_page_and_runs(suite):
    write_text(suite.folder / "index.html", "page")
    write_text(suite.folder / "runs" / "one" / "answers.jsonl", "")
    found = suite.artefacts()
    assert "twins.jsonl" in found and "clips/cup-0000-rug/truth.json" in found
    assert not {"manifest.json", "index.html", "runs/one/answers.jsonl"} & set(found)
    assert found["twins.jsonl"] == sha256_of(suite.folder / "twins.jsonl")
    assert list(found) == sorted(found)


def test_an_empty_folder_is_an_empty_suite(tmp_path):
    assert Suite(tmp_path).clip_ids == Suite(tmp_path).scenes == ()
