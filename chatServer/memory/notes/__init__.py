"""The pages of notes: what can be done to one as text, and where it is kept; and how Markdown's headings are read."""
