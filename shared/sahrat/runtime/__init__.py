"""What every worker process needs around its work: settings, logs, health, a clean end."""
