"""The commands of `sahrat`: each module here is one, and has a click command named `command`."""
