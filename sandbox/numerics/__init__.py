"""The port's results are held against the reference's."""
