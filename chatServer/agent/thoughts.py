"""What servers that speak OpenAI's protocol stream of a model's thoughts, which OpenAI's own package passes over."""

from typing import Any

from langchain_core.language_models import BaseChatModel

KEPT_AS = "reasoning_content"  # where LangChain's other packages keep them, and agent/step.py looks
_SENT_AS = (KEPT_AS, "reasoning")  # by DeepSeek, vLLM and llama.cpp; by OpenRouter and Ollama


def with_thoughts(chat_class: type[BaseChatModel]) -> type[BaseChatModel]:
    """The class of that package, which also hears thoughts."""

    class WithThoughts(chat_class):  # type: ignore[valid-type, misc]
        def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *given: Any) -> Any:
            made = super()._convert_chunk_to_generation_chunk(chunk, *given)
            if made and (thought := _thought_in(chunk)):
                made.message.additional_kwargs[KEPT_AS] = thought
            return made

    return WithThoughts


def _thought_in(chunk: dict[str, Any]) -> str | None:
    match chunk:
        case {"choices": [{"delta": dict(delta)}, *_]}:
            return next((said for name in _SENT_AS if isinstance(said := delta.get(name), str) and said), None)
    return None
