"""What is found for a question, of all that the user has said and that is remembered of him.

Which file for which question:
- what a question wants: about_me, asked_of, kinds, past, reworded, sought
- where it may look, and what it looks in: reach, registers, register, news, unpack, entities
- what is shown of what was found (by ranking/): shown, lines, passage, label
- all of it together, in time: recall
"""
