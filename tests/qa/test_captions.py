import dataclasses

import pytest

from simworld.qa.captions import describe
from simworld.qa.claims import Undecided

STANDS = "The mug stands near the table's edge."
BUMPS = "The red ball bumps the mug, and the mug slides along the table."
FALLS = "The mug falls off the table."


@pytest.mark.parametrize(
    ("levels", "sentences"),
    [
        ({}, [STANDS, BUMPS, FALLS, "The mug hits the hard floor and breaks into pieces."]),
        ({"floor": "rug"}, [STANDS, BUMPS, FALLS, "The mug lands on the rug."]),
        ({"mug_material": "steel"}, [STANDS, BUMPS, FALLS, "The mug hits the hard floor."]),
        ({"crate": "present"}, [STANDS, BUMPS, FALLS]),
        ({"rail": "present"}, [STANDS, BUMPS]),
        ({"brick": "in_the_way"}, [STANDS, "The red ball bumps the mug."]),
        ({"edge_gap": "far"}, ["The mug stands far from the table's edge.", BUMPS]),
        ({"ball": "rests"}, [STANDS]),
    ],
)
def test_each_segment_has_a_true_sentence(clip, levels, sentences):
    assert [segment.description for segment in clip(**levels).segments] == sentences


def test_an_opening_that_no_words_fit_is_an_error(clip):
    cup = clip()
    right = {"holds(brittle_mug)": cup.scene.opening.right["holds(near_edge)"]}
    scene = dataclasses.replace(
        cup.scene, opening=dataclasses.replace(cup.scene.opening, right=right)
    )
    steel = clip(mug_material="steel")
    with pytest.raises(Undecided, match="opening"):
        describe(scene, steel.facts, steel.segments[0])
