"""What is taken away from a clause, and what that says of it: that it is not so, no longer, or was so once."""

import re

from chatServer.memory.facts.everyday import ABILITIES

TAKEN: tuple[tuple[re.Pattern[str], str, dict[str, bool]], ...] = (
    (re.compile(r"i am no longer ", re.I), "i am ", {"is_negation": True, "is_over": True}),
    (re.compile(r"i no longer ", re.I), "i ", {"is_negation": True, "is_over": True}),
    (re.compile(r"i am not ", re.I), "i am ", {"is_negation": True}),
    (
        re.compile(
            r"i (?:can not|(?:have )?never learned (?:how )?to|do not know how to)"
            rf" (?=(?:{ABILITIES})(?: at all| yet| well)?\Z)",
            re.I,
        ),
        "i can ",
        {"is_negation": True},
    ),
    (re.compile(r"i (?:do not|never) ", re.I), "i ", {"is_negation": True}),
    (re.compile(r"i have never (lik|lov|enjoy)ed? ", re.I), "i like ", {"is_negation": True}),
    (re.compile(r"i do (?=\w)", re.I), "i ", {}),
    (
        re.compile(
            r"i (?:have )?(?:stopped|quit|gave up|given up) (?:on )?(learn|play|go|collect)ing (?!.* at )(?=\w)", re.I
        ),
        r"i \1 ",
        {"is_negation": True, "is_over": True},
    ),
    (
        re.compile(r"i (?:have )?(?:stopped|quit) (tak|us)ing (?=\w)", re.I),
        r"i \1e ",
        {"is_negation": True, "is_over": True},
    ),
    (re.compile(r"i can not have ", re.I), "i eat ", {"is_negation": True}),
    (re.compile(r"i can not (?=(?:eat|drink|speak)\b)", re.I), "i ", {"is_negation": True}),
    (re.compile(r"i used to be ", re.I), "i am ", {"is_past": True}),
    (re.compile(r"i used to ", re.I), "i ", {"is_past": True}),
    (re.compile(r"i have been (?!\w+ing\b|(?:to|in|there|diagnosed|based)\b)", re.I), "i am ", {}),
    (re.compile(r"(my [\w ]{1,30}) is no longer ", re.I), r"\1 is ", {"is_negation": True, "is_over": True}),
    (re.compile(r"(my [\w ]{1,30}) is not ", re.I), r"\1 is ", {"is_negation": True}),
)
