"""What an audit finds: claims that do not hold, and how much was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from simworld.errors import SimworldError

MAX_SHOWN = 240
"""Longer values are cut in a failure's text."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A claim that does not hold.

    `claim` names it, such as `falling_cup-0000-factual: cause(bump, shatter)`; `where` is the
    file that makes it; `expected` is what the audit found out, `found` what the file says.
    """

    claim: str
    expected: str
    found: str
    where: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.claim}: expected {self.expected}, found {self.found} ({self.where})"

    def to_json(self) -> dict[str, str]:
        """Return the failure as plain JSON data."""
        return {
            "claim": self.claim,
            "expected": self.expected,
            "found": self.found,
            "where": self.where,
        }


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All that an audit came to; `counts` says how many of what were checked."""

    failures: tuple[Failure, ...]
    counts: Mapping[str, int]

    @property
    def ok(self) -> bool:
        """Whether every claim holds."""
        return not self.failures

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON data."""
        return {
            "ok": self.ok,
            "failures": [failure.to_json() for failure in self.failures],
            "counts": dict(self.counts),
        }


@dataclass(slots=True)
class Findings:
    """Collects failures and counts while an audit runs."""

    failures: list[Failure] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def fail(self, claim: str, where: str, expected: object, found: object) -> None:
        """Note a claim that does not hold."""
        self.failures.append(Failure(claim, _brief(expected), _brief(found), where))

    def expect(self, claim: str, where: str, expected: object, found: object) -> bool:
        """Note a failure unless the two are equal; tell whether they are."""
        if expected == found:
            return True
        self.fail(claim, where, expected, found)
        return False

    def expect_fields(
        self, claim: str, where: str, expected: Mapping[str, Any], found: Mapping[str, Any]
    ) -> None:
        """Compare two records key by key; each field that differs is a failure of its own."""
        for key in [*expected, *(key for key in found if key not in expected)]:
            if key not in found:
                self.fail(f"{claim}: {key}", where, expected[key], "nothing")
            elif key not in expected:
                self.fail(f"{claim}: {key}", where, "nothing", found[key])
            else:
                self.expect(f"{claim}: {key}", where, expected[key], found[key])

    def expect_rows(
        self,
        claims: Sequence[str],
        where: str,
        expected: Sequence[Mapping[str, Any]],
        found: Sequence[Mapping[str, Any]],
    ) -> None:
        """Compare two lists of records; `claims` name the expected ones."""
        for claim, one, other in zip(claims, expected, found, strict=False):
            self.expect_fields(claim, where, one, other)
        for claim, row in list(zip(claims, expected, strict=True))[len(found) :]:
            self.fail(claim, where, row, "nothing")
        for row in found[len(expected) :]:
            self.fail(f"{where}: a row too many", where, "nothing", row)

    @contextmanager
    def reading(self, claim: str, where: str) -> Iterator[None]:
        """Turn what a malformed file raises into a failure."""
        try:
            yield
        except (SimworldError, LookupError, TypeError, ValueError, AttributeError) as error:
            self.fail(claim, where, "what simworld writes", f"{type(error).__name__}: {error}")


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
