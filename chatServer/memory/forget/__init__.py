"""What goes because the user says so, and how it comes back.

Which file for which question:
- one memory, chosen from a list: forget
- one message that recall is to pass over: pass_over
- what is named in a chat, in the user's own words: forget_named, said, whose
"""
