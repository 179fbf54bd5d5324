"""What several checks conclude from facts: versions, requirements, who owns a module, why an import fails. All pure."""
