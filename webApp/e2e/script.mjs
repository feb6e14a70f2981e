// What the scripted model says; rules are searched in this order. Add what a test needs, under words of its own.
const words = (count) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

const RICH = [
  "## Volcanoes\n",
  "A *short* list with `code`:\n",
  "- Etna, in **Sicily**\n- Eyjafjallajökull\n",
  "| name | height |\n|---|---|\n| Etna | 3,357 m |\n| Fuji | 3,776 m |\n",
  "```python\ndef height(name: str) -> int:\n    # in metres\n    return {\"Etna\": 3357}[name]\n```\n",
  "> A quote, and a [link](https://example.org/).\n",
].join("\n").replaceAll("{", "{{").replaceAll("}", "}}"); // a single brace is a gap

export const script = {
  rules: [
    { match: "^slowly", reply: words(150), delay_ms: 40 },
    { match: "^write well", reply: RICH },
    { match: "^say (.+)", reply: "{1}" },
    {
      match: "^remember (.+)",
      tool_calls: [{ name: "manage_long_term_memory", args: { operation: "append", content: "{1}" } }],
      then: "Noted.",
    },
    { match: "^forget (.+)", tool_calls: [{ name: "forget_memories", args: { what: "{1}" } }], then: "So be it." },
    { match: "^look up (.+)", tool_calls: [{ name: "retrieve_context", args: { query: "{1}" } }], then: "Found." },
    { match: "^break", reply: "one two three four five", fail_after_words: 3 },
    { match: "^hang", reply: "never", hang: true },
  ],
  default: "I heard you.",
};
