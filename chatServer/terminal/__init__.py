"""What a person at a terminal sees: sessions, memories and prompts as text that harms no terminal, and a conversation.
Commands are in the room commands/."""
