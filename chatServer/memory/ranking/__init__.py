"""What bears on a question: an index of one user's items in the process, and few named features."""
