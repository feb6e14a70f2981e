"""What becomes a memory: of a turn, by rules, and of what a tool offers.

Which file for which question:
- what a turn leaves: remember, drafts, worth, lessons, anew
- what a tool keeps: keep, offer, own_words
- which category a text has, and how much it matters: classify
"""
