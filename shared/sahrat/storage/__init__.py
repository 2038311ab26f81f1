"""PostgreSQL: connections, migrations, and what others may read of the read models."""
