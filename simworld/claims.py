"""The small language that claims are written in: its syntax, and no meaning.

A claim is a term: a name with arguments in brackets (`cause(bump, slide)`), a bare name or number
(`bump`, `2`), or an equation of two terms (`color(mug) = green`). The predicates in use are

    happens(E, segment)   starts(E, segment)   occurs(E)   before(E, F)   not(P)   and(P, Q)
    holds(C)              the standing condition C holds
    touches(a, b, segment)   color(object) = value
    trigger(X, Y)         X is the direct triggering cause of Y
    cause(X, Y)           X is a cause of Y, direct or not; cause(X, not(Y)): of Y's absence
    enables(X, Y)         X is a standing condition that Y depends on
    would(X = x, P)       P would hold if X were set to x and nothing else were changed

and an event term is a variable's name (`bump`) or what happened to whom (`hit(ball, mug)`,
`again(hit(ball, mug))`, `breaks(mug)`). `simworld.qa.claims` says what they mean.
"""

import re
from dataclasses import dataclass

from simworld.errors import InputError

_MAX_DEPTH = 32
_TOKEN = re.compile(r"\s*([A-Za-z0-9_][A-Za-z0-9_.-]*|[(),=])")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Term:
    """A claim or a part of one.

    Attributes:
        head: A name or a number; `=` for an equation, which has two arguments.
        args: The arguments; none for a bare name.
    """

    head: str
    args: tuple["Term", ...] = ()

    def __str__(self) -> str:
        """Write the term so that `parse` reads it back."""
        if self.head == "=":
            return f"{self.args[0]} = {self.args[1]}"
        return f"{self.head}({', '.join(map(str, self.args))})" if self.args else self.head


def names_in(claim: Term) -> list[str]:
    """Return the bare names and numbers in a claim, from left to right.

    Example:
        >>> names_in(parse("and(cause(bump, slide), starts(bump, 2))"))
        ['bump', 'slide', 'bump', '2']
    """
    if not claim.args:
        return [claim.head]
    return [name for part in claim.args for name in names_in(part)]


def parse(text: str) -> Term:
    """Read a claim.

    Raises:
        InputError: The text is not a claim, or is nested more than 32 deep.

    Example:
        >>> parse("trigger(hit(ball,mug), slide)").args[0]
        Term(head='hit', args=(Term(head='ball', args=()), Term(head='mug', args=())))
        >>> str(parse("not( color(mug)=green )"))
        'not(color(mug) = green)'
    """
    parser = _Parser(text)
    term = parser.equation(0)
    parser.expect(None)
    return term


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._token: str | None = None
        self._advance()

    def equation(self, depth: int) -> Term:
        left = self._term(depth)
        if self._token != "=":
            return left
        self._advance()
        return Term("=", (left, self._term(depth)))

    def expect(self, token: str | None) -> None:
        if self._token != token:
            raise self._error("the end" if token is None else repr(token))
        if token is not None:
            self._advance()

    def _term(self, depth: int) -> Term:
        if depth > _MAX_DEPTH:
            raise self._error(f"at most {_MAX_DEPTH} levels of brackets")
        head = self._token
        if head is None or not _NAME.fullmatch(head):
            raise self._error("a name")
        self._advance()
        if self._token != "(":
            return Term(head)
        self._advance()
        args = [self.equation(depth + 1)]
        while self._token == ",":
            self._advance()
            args.append(self.equation(depth + 1))
        self.expect(")")
        return Term(head, tuple(args))

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._position)
        if match is None and self._text[self._position :].strip():
            raise self._error("a name, a bracket, a comma or =")
        self._token = match.group(1) if match else None
        self._position = match.end() if match else len(self._text)

    def _error(self, expected: str) -> InputError:
        return InputError(
            f"expected {expected} in a claim, found {self._text[:80]!r} at character "
            f"{self._position}; write it like cause(bump, slide)"
        )
