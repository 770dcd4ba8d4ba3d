"""What is kept: ports, findings, verdicts, artifacts and events in a database, contents in a blob store."""
