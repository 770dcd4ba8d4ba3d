"""Programs are compiled for a device and run on it, always inside a sandbox."""
