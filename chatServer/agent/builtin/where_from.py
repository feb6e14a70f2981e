"""Where a recalled line is from, as its user is told: labels are written for models, in English, and speak of him."""

from chatServer.memory.recall.label import (
    BY_ASSISTANT,
    BY_USER,
    CORRECTED,
    IN,
    IN_PART,
    NO_LONGER,
    REMEMBERED,
    TITLE_FORGOTTEN,
    UNTIL,
)

_LANGUAGES = ("en", "de", "ru", "es", "fr")
_TOLD = {
    BY_USER: ("you said", "du hast gesagt", "вы сказали", "dijiste", "vous avez dit"),
    CORRECTED: ("corrected by you", "von dir berichtigt", "исправлено вами", "corregido por ti", "corrigé par vous"),
    REMEMBERED: (REMEMBERED, "gemerkt", "запомнено", "recordado", "retenu"),
    BY_ASSISTANT: (BY_ASSISTANT, "der Assistent sagte", "ассистент сказал", "el asistente dijo", "l'assistant a dit"),
    UNTIL: (UNTIL, "bis ", "до ", "hasta ", "jusqu'au "),
    f"{IN_PART}{UNTIL}": (f"{IN_PART}{UNTIL}", "teils bis ", "отчасти до ", "en parte hasta ", "en partie jusqu'au "),
    NO_LONGER: (NO_LONGER, "nicht mehr so", "уже не так", "ya no es así", "ce n'est plus le cas"),
    f"{IN_PART}{NO_LONGER}": (
        f"{IN_PART}{NO_LONGER}",
        "teils nicht mehr so",
        "отчасти уже не так",
        "en parte ya no es así",
        "ce n'est plus le cas en partie",
    ),
    TITLE_FORGOTTEN: (
        TITLE_FORGOTTEN,
        "in einem Chat, dessen Titel vergessen ist",
        "в чате, название которого забыто",
        "en un chat cuyo título está olvidado",
        "dans un chat dont le titre est oublié",
    ),
    IN: (IN, "in “", "в “", "en “", "dans “"),
}


def where_from(label: str, language: str) -> str:
    """Part by part, as they are put together; what else a label says, such as a name or a title, stays as it is."""
    head, is_in, title = label.partition(f", {IN}")
    parts = [*head.split(", "), *([f"{IN}{title}"] if is_in else [])]
    return ", ".join(_told(part, _LANGUAGES.index(language)) for part in parts)


def _told(part: str, language: int) -> str:
    begins = next((each for each in _TOLD if part.startswith(each)), "")
    return f"{_TOLD[begins][language]}{part.removeprefix(begins)}" if begins else part
