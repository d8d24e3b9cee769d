"""The contract audit: what each thing that a benchmark leaves open changes, in numbers.

Every row names what is open, what was compared, and the figures. Models are run again for each
reading, since readings ask different questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from pathlib import Path
from typing import Any

from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.benchmarks.decisions.run import DecisionsRun
from simworld.recovery.contract_castbench import audit_castbench
from simworld.recovery.contract_causalstep import audit_causalstep
from simworld.recovery.contract_needles import audit_needles
from simworld.recovery.verdicts import Values

Rows = Sequence[dict[str, Any]]


@singledispatch
def contract(bench: object, path: Path, values: Values) -> Rows:
    """Return a row for each thing that a benchmark leaves open.

    Args:
        bench: The benchmark's run under its published settings.
        path: Its truth file.
        values: What the models scored under those settings.
    """
    raise TypeError(f"no contract is known of {type(bench).__name__}")


@contract.register
def _(bench: CausalStepRun, path: Path, values: Values) -> Rows:
    return audit_causalstep(bench, values)


@contract.register
def _(bench: CastBenchRun, path: Path, values: Values) -> Rows:
    return audit_castbench(bench)


@contract.register
def _(bench: Causal2NeedlesRun, path: Path, values: Values) -> Rows:
    return audit_needles(bench, path)


@contract.register
def _(bench: DecisionsRun, path: Path, values: Values) -> Rows:
    return []  # the protocol is our own
