"""Contracts of the shims: small CUDA programs that must say the same where CUDA runs them and where their port runs."""
