"""Who decides: hipify, fault catalogue, orchestrator. Runs without service, database or network."""
