"""The summary of a session: when one is due, what it is made of, and who makes it: a model, else rules."""
