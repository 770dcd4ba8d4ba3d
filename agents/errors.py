"""Errors of the agents layer.

AgentsError
├── SubmissionError    the submission itself cannot be worked on (empty, binary, too large, no kernel)
├── DataError          a table shipped with the product is inconsistent
└── EngineError        another translator is missing, fails or takes too long
"""

from __future__ import annotations

from sandbox.errors import SandboxLayerError


class AgentsError(SandboxLayerError):
    code = "agents"


class SubmissionError(AgentsError):
    code = "submission"


class DataError(AgentsError):
    code = "data"


class EngineError(AgentsError):
    code = "engine"
