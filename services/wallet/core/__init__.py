"""What the wallet does with one record, one command, one entry. Pure: bytes in, bytes out."""
