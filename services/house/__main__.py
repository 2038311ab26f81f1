"""`python -m services.house`, which is `sahrat`."""

from __future__ import annotations

from services.house.cli import main

if __name__ == "__main__":
    main()
