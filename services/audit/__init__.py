"""Are all coins where the log says they must be? Reads topics, with none of the wallet's code."""
