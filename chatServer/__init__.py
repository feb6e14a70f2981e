"""chatServer: the chat backend that remembers."""

__version__ = "0.1.0"
