"""The process that turns device code into x86-64 shared objects, the only writer of the translation cache.

``server.py`` is its entry script; ``frontend.py`` is what a new kind of device code has to implement; the
protocol and the layout of the cache are described in ``common/translation_client.h``.
"""
