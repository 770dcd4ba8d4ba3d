"""Durable work on ports: what was begun is finished, whichever process dies in between."""
