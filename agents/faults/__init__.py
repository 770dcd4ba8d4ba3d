"""What breaks on AMD beyond names: the catalogue of faults, detectors and fixers."""
