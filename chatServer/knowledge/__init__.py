"""Articles: documents that answers can be taken from. They are anybody's words: read apart, cleaned, and cut."""
