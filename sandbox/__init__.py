"""Where code is built and run: isolation, toolchain, virtual GPUs, execution, numerics, profiling."""
