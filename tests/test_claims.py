import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.claims import Term, parse
from simworld.errors import InputError

names = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,5}", fullmatch=True)
plain = st.recursive(
    names.map(Term),
    lambda inner: st.builds(Term, names, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)
equations = st.builds(lambda left, right: Term("=", (left, right)), plain, plain)
terms = plain | equations | st.builds(lambda p: Term("not", (p,)), equations)


@given(terms)
def test_what_is_written_reads_back(term):
    assert parse(str(term)) == term


@given(terms, st.sampled_from([" ", "  ", "\n\t"]))
def test_spaces_do_not_matter(term, space):
    spaced = "".join(f"{space}{c}{space}" if c in "(),=" else c for c in str(term))
    assert parse(spaced) == term


@given(st.text(max_size=40))
def test_any_text_is_a_claim_or_one_clear_error(text):
    try:
        assert parse(str(parse(text))) == parse(text)
    except InputError as error:
        assert "expected" in str(error) and "found" in str(error)


def test_the_terms_of_the_language():
    bump, slide = Term("bump"), Term("slide")
    assert parse("trigger(bump, slide)") == Term("trigger", (bump, slide))
    assert parse("happens(hit(ball, mug), 2)").args == (
        Term("hit", (Term("ball"), Term("mug"))),
        Term("2"),
    )
    assert parse("color(mug) = green") == Term("=", (Term("color", (Term("mug"),)), Term("green")))
    assert parse("and(not(occurs(bump)), before(bump, slide))").head == "and"


BROKEN = ["", "  ", "f(", "f()", "f(a", "f(a,)", "f(a))", "f(a)(b)", "g(f(a)(b))", "a b", "=a"]
BROKEN += ["a=b=c", "f(a;b)", "héllo", "'a'"]
BOMBS = ["f(" * 40 + "a" + ")" * 40, "f(" * 100_000, "(" * 100_000]


@pytest.mark.parametrize("text", [*BROKEN, *BOMBS], ids=lambda text: text[:9])
def test_what_is_no_claim_is_refused(text):
    with pytest.raises(InputError, match="expected"):
        parse(text)
