"""The composition root and command line: starts the parts together, and alone imports them all."""
