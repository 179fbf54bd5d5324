"""Container engines, behind a small protocol of the verbs that the pipeline needs."""
