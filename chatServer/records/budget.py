"""How much a prompt may hold, and from where on a conversation is summarised."""

from dataclasses import dataclass

from chatServer.records.quick import quick

SOFT_PCT = 80  # of the window: behind the answer
SEAM_TOKENS = 4  # two texts put together may take a token or two more than each alone
MAX_TOKENS_A_CHARACTER = 4  # its bytes in UTF-8
LONG_CHARS = 50_000  # from here on a text is counted in a thread: 5 ms (2026-11-15)


@quick
class Budget:
    """How the tokens of one prompt are given out, in the order in which the parts take their share."""

    window_tokens: int  # what the model can take in all
    reserve_tokens: int  # kept for the answer
    system_tokens: int
    notes_tokens: int  # they stand in the system prompt
    tools_tokens: int
    summary_tokens: int
    question_tokens: int
    history_tokens: int  # of the messages that stayed
    recall_tokens: int = 0
    articles_tokens: int = 0
    mark_tokens: int = 0  # above it the history is summarised before the model is asked; 0: there is no mark
    dropped_messages: int = 0  # of the window, the oldest ones: they did not fit, or the summary stands for them
    forgotten_messages: int = 0  # of those the ones that no summary stands for

    @property
    def said_tokens(self) -> int:
        """What the marks are about: it grows with the conversation."""
        fixed = self.system_tokens + self.notes_tokens + self.summary_tokens + self.question_tokens
        return fixed + self.history_tokens

    @property
    def prompt_tokens(self) -> int:
        """All that is sent."""
        return self.said_tokens + self.tools_tokens + self.recall_tokens + self.articles_tokens

    @property
    def room_tokens(self) -> int:
        """What is left for recall and articles."""
        return self.window_tokens - self.reserve_tokens - self.prompt_tokens

    @property
    def is_over_mark(self) -> bool:
        return 0 < self.mark_tokens < self.said_tokens


@dataclass(frozen=True, slots=True)
class Compression:
    """When the conversations of an agent are summarised, and into how much."""

    window_tokens: int = 128_000  # of the agent's model
    threshold_pct: int = 85  # of the window: before the model is asked
    target_tokens: int = 1_000  # of a summary
    deadline_s: float = 5.0  # what a model may take for it while somebody waits; 0: none is asked then
    prompt: str | None = None  # what a summary should hold; None: what agent/summary/by_model.py says

    @property
    def soft_mark_tokens(self) -> int:
        return self.window_tokens * min(SOFT_PCT, self.threshold_pct) // 100

    def mark_tokens(self, window_tokens: int) -> int:
        """Of a window, which may be that of a larger model."""
        return window_tokens * self.threshold_pct // 100


USUAL_COMPRESSION = Compression()
