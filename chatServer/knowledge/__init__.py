"""Articles: documents that answers can be taken from. They are anybody's words: read apart, cleaned, and cut.

Which file for which question:
- what a user does with them: shelf
- which kinds of file are taken: kinds, sniff
- how a file becomes chunks: ingest, read, reader, reading, pdfs, web_pages, split
- what is found for a question, and shown of it: retrieve, stacks, stack, rank, fit, quote
"""
