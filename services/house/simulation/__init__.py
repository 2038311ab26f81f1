"""The whole house in one thread, on virtual time, under one seed, and all that may befall it."""
