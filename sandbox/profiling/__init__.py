"""What kernels did: counters of the virtual GPU and rocprofv3's output become one ``Profile`` (``sandbox/models.py``).

``records.py`` holds one dispatch as every source gives it; ``virtual_counters``, ``rocprof_csv`` and ``rocpd`` read and
write the formats; ``collect.py`` sums dispatches up; ``metrics.py`` and ``bottleneck.py`` say what the numbers mean.
"""
