"""`MODEL=builtin`, the responder that needs no model: prompts are taken apart and answered by rules."""
