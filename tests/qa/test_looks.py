import numpy as np
import pytest

from simworld.qa.looks import FEATURES, VALUES, Looks

TEXTS = ("The cup fell.", "The cup fell because it was hit.", "A ball rolled.", "The cup stayed.")
MEAN_RANK, MOST_RANK, LENGTH_RANK, MEAN, MOST, LENGTH, BOTH_RANKS, ALIKE = range(FEATURES)


def test_what_shows_of_four_options_by_hand():
    # Words shared of all words in two: 1 and 2 share 3 of 7, 1 and 4 share 2 of 4, 2 and 4 share
    # 2 of 8, and the third shares none. Averages: 0.310, 0.226, 0, 0.25.
    found = Looks(TEXTS).of(range(4))
    assert found[MEAN_RANK].tolist() == [3, 1, 0, 2]
    assert found[MOST_RANK].tolist() == [2, 1, 0, 2]
    assert found[LENGTH_RANK].tolist() == [0, 3, 1, 2]
    assert found[MEAN].tolist() == [6, 4, 0, 5]
    assert found[MOST].tolist() == [10, 8, 0, 10]
    assert found[LENGTH].tolist() == [3, 8, 3, 3]
    assert found[BOTH_RANKS].tolist() == [24, 11, 1, 18]
    assert found[ALIKE].tolist() == [2, 1, 1, 2]
    assert found.max() < VALUES


@pytest.mark.parametrize("places", [[0, 3], [3, 0]])
def test_options_are_looked_at_beside_those_that_are_offered_alone(places):
    found = Looks(TEXTS).of(places)
    assert np.all(found[MEAN] == 10) and np.all(found[ALIKE] == 2)
    assert found[LENGTH_RANK].tolist() == np.argsort(places).tolist()
