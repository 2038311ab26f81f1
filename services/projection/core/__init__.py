"""What the projection makes of stored records. Everything here is pure: records in, rows out."""
