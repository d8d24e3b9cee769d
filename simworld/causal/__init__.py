"""Structural causal models, interventions and exact verdicts; knows no physics and no video."""

from simworld.causal.expressions import Declaration, condition, event, exogenous
from simworld.causal.intervention import Intervention
from simworld.causal.scm import SCM
from simworld.causal.search import Unreachable
from simworld.causal.variables import Value, Variable
from simworld.causal.verdicts import Role, Verdict, settings_used, verdicts

__all__ = [
    "SCM",
    "Declaration",
    "Intervention",
    "Role",
    "Unreachable",
    "Value",
    "Variable",
    "Verdict",
    "condition",
    "event",
    "exogenous",
    "settings_used",
    "verdicts",
]
