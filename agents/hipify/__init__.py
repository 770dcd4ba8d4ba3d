"""CUDA source to HIP source."""

from agents.hipify.submission import translate_submission, translate_text

__all__ = ["translate_submission", "translate_text"]
