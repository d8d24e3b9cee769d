from simworld.audit.report import MAX_SHOWN, AuditReport, Failure, Findings


def test_a_failure_says_what_was_expected_found_and_where():
    failure = Failure("cup: cause(bump, shatter)", "trigger", "unrelated", "clips/cup/truth.json")
    text = "cup: cause(bump, shatter): expected trigger, found unrelated (clips/cup/truth.json)"
    assert str(failure) == text


def test_records_are_compared_key_by_key():
    findings = Findings()
    findings.expect_fields("row", "f.json", {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 4})
    found = {f.claim: (f.expected, f.found) for f in findings.failures}
    assert found == {
        "row: b": ("2", "5"),
        "row: c": ("3", "nothing"),
        "row: d": ("nothing", "4"),
    }


def test_missing_and_surplus_rows_are_failures():
    findings = Findings()
    findings.expect_rows(["first", "second"], "f.json", [{"a": 1}, {"a": 2}], [{"a": 1}])
    assert [f.claim for f in findings.failures] == ["second"]
    findings = Findings()
    findings.expect_rows(["first"], "f.json", [{"a": 1}], [{"a": 1}, {"a": 2}])
    assert [f.claim for f in findings.failures] == ["f.json: a row too many"]


def test_what_a_malformed_file_raises_becomes_a_failure():
    findings = Findings()
    with findings.reading("truth", "truth.json"):
        _ = {}["verdicts"]
    assert "KeyError" in str(findings.failures[0])
    assert not AuditReport(tuple(findings.failures), {}).ok


def test_long_values_are_cut():
    findings = Findings()
    findings.fail("claim", "f.json", "x" * 1000, "y")
    assert len(findings.failures[0].expected) == MAX_SHOWN
