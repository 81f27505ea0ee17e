"""Pictures that are no graphs: bytes over time, lanes of processes, the course of a run."""
