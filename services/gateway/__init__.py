"""The gateway: phones' sockets, guests' tokens, and the pages that read."""
