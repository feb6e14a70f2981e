"""What `chatserver` can be told to do beside serving: a module for each family of commands. `cli.py` takes them in."""
