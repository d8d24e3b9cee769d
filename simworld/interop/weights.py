"""How often each level of an exogenous variable is drawn, for models of probabilities."""

from collections.abc import Mapping
from types import MappingProxyType

from simworld.causal import SCM, Value
from simworld.errors import InputError

Weights = Mapping[str, Mapping[Value, float]]
"""A weight for each level of an exogenous variable; the levels of one left out weigh alike."""

EVEN: Weights = MappingProxyType({})


def shares(scm: SCM, weights: Weights) -> dict[str, dict[Value, float]]:
    """Return each exogenous variable's levels with their shares, which sum to 1.

    Raises:
        InputError: A name is no exogenous variable's, a level is missing or unknown, or the
            weights are not positive in sum.
    """
    for name in weights:
        if name not in scm.exogenous:
            raise InputError(
                f"weights: expected names of exogenous variables ({', '.join(scm.exogenous)}), "
                f"found {name!r}"
            )
    return {name: _shares_of(scm, name, weights) for name in scm.exogenous}


def _shares_of(scm: SCM, name: str, weights: Weights) -> dict[Value, float]:
    domain = scm[name].domain
    given = weights.get(name, dict.fromkeys(domain, 1.0))
    total = sum(given.values())
    if set(given) != set(domain) or min(given.values()) < 0 or total <= 0:
        raise InputError(
            f"weights of {name!r}: expected a number of at least 0 for each of {domain}, not all "
            f"0, found {dict(given)}"
        )
    return {value: given[value] / total for value in domain}
