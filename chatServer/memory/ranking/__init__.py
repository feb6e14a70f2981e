"""What bears on a question: an index of one user's items in the process, and few named features.

Which file for which question:
- what the question says: question, asked
- what comes first, and why: candidates, features, typical, weights, rank, relevance, overview
- what the index is made of: index, items, sessions, postings, places, links, packing, pages
- what is done before anybody asks: rehearse
"""
