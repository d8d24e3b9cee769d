from collections import defaultdict

import numpy as np
import pytest

from simworld.recovery.chains import chain_forms

READINGS = ["prose", "algorithm1"]


def played_out(n, d, c, restart, scoring):
    """Go through every course that the protocol can take, by its own rules, with its chance."""
    breaks, longest, scores = (defaultdict(float) for _ in range(3))

    def play(i, chain, causal, score, broken, best, chance):
        best = max(best, chain)
        if i > n:
            breaks[broken] += chance
            longest[best] += chance
            scores[score] += chance
            return
        right = c if chain else d
        earned = 1 if not chain else causal + 1 if scoring == "prose" else chain + 1
        play(i + 1, chain + 1, causal + (chain > 0), score + earned, broken, best, chance * right)
        again = i if chain and restart == "prose" else i + 1
        if right < 1:
            play(again, 0, 0, score, broken + 1, best, chance * (1 - right))

    play(1, 0, 0, 0, 0, 0, 1.0)
    return breaks, longest, scores


@pytest.mark.parametrize("scoring", READINGS)
@pytest.mark.parametrize("restart", READINGS)
@pytest.mark.parametrize(("d", "c"), [(0.3, 0.6), (1, 0.5), (0.5, 1), (0, 0.4), (1 / 8, 1 / 8)])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_recursion_is_what_playing_every_course_out_comes_to(n, d, c, restart, scoring):
    forms = chain_forms(n, d, c, restart, scoring)
    expected = played_out(n, d, c, restart, scoring)
    for pmf, by_hand in zip((forms.breaks, forms.longest, forms.score), expected, strict=True):
        assert pmf.sum() == pytest.approx(1)
        for value, chance in by_hand.items():
            found = pmf[value] if value < len(pmf) else 0.0
            assert found == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(("scoring", "extra"), [("prose", 0), ("algorithm1", 50)])
def test_a_flawless_chain_of_51_has_the_published_score(scoring, extra):
    forms = chain_forms(51, 1.0, 1.0, "prose", scoring)
    assert np.flatnonzero(forms.score).tolist() == [1 + 50 * 51 // 2 + extra]
    assert (forms.breaks[0], forms.longest[51]) == (1, 1)
