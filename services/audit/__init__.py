"""Are all coins where the log says they must be, and is every match still as it was published?

Reads topics, with none of the wallet's code.
"""
