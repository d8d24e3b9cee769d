"""Audits a suite: simulates everything again and holds every claim and digest to it.

The truth is found anew from the audit's own rollouts: by toggling, by the exact search for causes,
by its own reading of contacts, states and frames. It shares with the generator the scene scripts,
the physics, the renderer, the definitions of a cause and the meaning and wording of claims; it
calls nothing of what the generator decides with.
"""

from simworld.audit.inspection import audit
from simworld.audit.report import AuditReport, Failure

__all__ = ["AuditReport", "Failure", "audit"]
