"""CUDA source to HIP source."""

from agents.hipify.options import Options
from agents.hipify.submission import translate_submission, translate_text
from agents.hipify.tables import Dialect

__all__ = ["Dialect", "Options", "translate_submission", "translate_text"]
