"""Causal models as DoWhy's, which the extra `dowhy` brings."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from simworld import rng
from simworld.causal import SCM, Value, Variable
from simworld.errors import InputError
from simworld.interop.libraries import missing
from simworld.interop.weights import EVEN, Weights, shares


def to_dowhy(scm: SCM, weights: Weights = EVEN, seed: int = 0) -> Any:
    """Return a `dowhy.gcm.InvertibleStructuralCausalModel` whose mechanisms are the model's.

    Nothing has to be fitted: `gcm.counterfactual_samples` and `gcm.interventional_samples` can be
    asked at once. Observed data that the model cannot have given are an InputError there.

    Args:
        scm: The model.
        weights: How often each level of an exogenous variable is drawn.
        seed: What samples are drawn with, each variable's from a stream of its own.

    Raises:
        MissingDependencyError: DoWhy is not installed.
        InputError: The weights are not valid.
    """
    try:
        from dowhy import gcm
        from dowhy.gcm.causal_models import PARENTS_DURING_FIT
    except ImportError as error:
        raise missing("a DoWhy model", "dowhy", "dowhy") from error
    drawn_by, table_of = _mechanisms()
    model = gcm.InvertibleStructuralCausalModel(scm.graph())
    drawn = shares(scm, weights)
    for name in scm.order:
        variable = scm[name]
        if variable.parents:
            mechanism = table_of(variable)
        else:
            mechanism = drawn_by(
                drawn.get(name) or {variable.table[0][-1]: 1.0}, rng.stream(seed, "dowhy", name)
            )
        model.set_causal_mechanism(name, mechanism)
        model.graph.nodes[name][PARENTS_DURING_FIT] = sorted(variable.parents)
    return model


@cache
def _mechanisms() -> tuple[Any, Any]:
    """Make the two kinds of mechanism, whose bases only DoWhy has."""
    import numpy as np
    from dowhy.gcm.causal_mechanisms import InvertibleFunctionalCausalModel, StochasticModel

    class Drawn(StochasticModel):
        """Draws levels with their shares."""

        def __init__(self, shares: Mapping[Value, float], generator: np.random.Generator) -> None:
            self.shares = shares
            self.generator = generator

        def fit(self, X: Any) -> None:
            """Leave the shares as they are given."""

        def draw_samples(self, num_samples: int) -> Any:
            """Draw levels, (num_samples, 1)."""
            at = self.generator.choice(len(self.shares), num_samples, p=list(self.shares.values()))
            return np.array(list(self.shares), dtype=object)[at].reshape(-1, 1)

        def clone(self) -> "Drawn":
            return Drawn(self.shares, self.generator)

    class Table(InvertibleFunctionalCausalModel):
        """Looks values up; there is no noise."""

        def __init__(self, variable: Variable) -> None:
            self.variable = variable
            # DoWhy hands the parents over in the order of their names.
            order = sorted(range(len(variable.parents)), key=variable.parents.__getitem__)
            self.values = {tuple(row[at] for at in order): row[-1] for row in variable.table}

        def fit(self, X: Any, Y: Any) -> None:
            """Leave the table as it is given."""

        def draw_noise_samples(self, num_samples: int) -> Any:
            return np.zeros((num_samples, 1))

        def evaluate(self, parent_samples: Any, noise_samples: Any) -> Any:
            return np.array([[self.values[tuple(row)]] for row in parent_samples])

        def estimate_noise(self, target_samples: Any, parent_samples: Any) -> Any:
            """Return zeros; refuse what the table does not give."""
            for row, found in zip(parent_samples, target_samples.reshape(-1), strict=True):
                if (value := self.values[tuple(row)]) != found:
                    raise InputError(
                        f"observed data: expected {self.variable.name} = {value} where "
                        f"{sorted(self.variable.parents)} = {list(row)}, found {found}"
                    )
            return self.draw_noise_samples(len(target_samples))

        def clone(self) -> "Table":
            return Table(self.variable)

    return Drawn, Table
