"""CUDA and HIP source text: lossless tokens, edits on tokens, and the structure that the passes ask for."""
