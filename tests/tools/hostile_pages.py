"""Pages of 64 kB that are made to keep a Markdown parser busy."""

SIZE = 65_536

_REPEATED = [
    "a\n", "\n", " \n", "\t\n", "\ta\n", "# \n", "#\n", "# a\n", "# a\n## b\n", "#\n##\n", "a\n=\n", "=\n", "a\n-\n",
    "- \n", "- a\n", "-\n+\n", "*\n+\n", "- a\n+ b\n", "-\n\n", "-\n\n+\n\n", "1. a\n", "1.\n", "1)\n1.\n", "1. 1. a\n",
    "- a\nb\n", "- - a\n", "- - -\n", "- + - a\n", "- # a\n", "- # a\n+ # b\n", "- + - + - + # a\n", "- " * 100 + "a\n",
    "> a\n", ">\n", "> a\nb\n", "> a\n- b\n", "- > a\n", "-\n>\n", ">" * 50 + "a\n", "> " * 100 + "\n",
    "```\n", "``` a\n~~~\n", "`\n", "~~~\n", "***\n", "_ _ _ a\n", "<a>\n", "<p\n\n", "<!--\n", "<!A\n", "<?\n",
    '<a b="c\n', "<a\n", "[\n", "[a\n", "[a]:b\n", "[a]: \n", "[a]: b\n===\n", '[a]: b "\n', "[a]: b (\n",
    "[a]: b\n'x\n===\n",
    "|a|\n|-|\n", "a  \n", "a\\\n", "\\", "(a+)+", "`", "[", "]", "![", "<", "&", "*a_ ", "a**b", "9", " ", "é", "😀\n",
    "- " * 90 + "a\n" + "\n" * 900, "-   " * 20 + "a\n" + (" " * 80 + "b\n") * 50,
]  # fmt: skip
_WHOLE = [
    "[" + "a\n" * 32_000 + "===\n",
    "<a " + "b " * 32_000,
    "<a" + " " * 65_000,
    "#" + " " * 65_000 + "a",
    "# " + "# " * 32_000,
    "- " * 32_000,
    "> " * 32_000,
    "\n".join(" " * column + "- a" for column in range(0, 360)),
    "\n".join(">" * depth + "a" for depth in range(360)),
    "`" * 60_000 + "\n" + "`" * 5_000,
    "[" * 32_000 + "]" * 32_000,
    '[a]: b "' + "\n\\" * 32_000,
    "\r" * 65_000,
    "\r\n" * 32_000,
]


def hostile_pages() -> list[str]:
    return [*((text * (SIZE // len(text) + 1))[:SIZE] for text in _REPEATED), *(text[:SIZE] for text in _WHOLE)]
