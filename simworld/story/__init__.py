"""Stories: long videos of several episodes, in which what one did is carried over to a later one.

Each episode is a scene, simulated on its own. A drop hatch may take a thing away that a later
episode would have in its way; that one is simulated without the thing, or with it, by what became
of it. The carried thing joins the episodes' models into one, so a cause may lie many episodes
before its effect, with others between them that have nothing to do with either.
"""
