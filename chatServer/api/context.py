"""What a turn would ask, for whoever wants to see it before, or wonders why something was forgotten."""

from typing import Any, Literal, Self

from fastapi import APIRouter
from pydantic import BaseModel, Field

from chatServer.api.chat_body import ChatRequest
from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.problems import A_BODY, documented
from chatServer.messages import text_of
from chatServer.records import RecallResult
from chatServer.turn.explain import Part, PartName, Shown
from chatServer.turn.explain import State as PartState
from chatServer.turn.preview import Preview
from chatServer.turn.recalled import recalled_json
from chatServer.turn.triggers import TriggerName

router = APIRouter(prefix="/api/context", tags=["context"], responses=documented(401, 403, 503))


class CallAnswer(BaseModel):
    name: str
    arguments: str


class ShownAnswer(BaseModel):
    id: str
    role: str
    tokens: int
    text: str
    tool_calls: list[CallAnswer] | None = None
    images: int | None = None
    is_cut: bool | None = None

    @classmethod
    def of(cls, shown: Shown) -> Self:
        message = shown.message
        calls = [CallAnswer(name=call.name, arguments=call.arguments) for call in message.tool_calls or ()]
        known = {"id": message.message_id, "role": message.role, "tokens": shown.tokens, "text": text_of(message)}
        more = {"tool_calls": calls, "images": len(message.images or ()), "is_cut": shown.is_cut}
        return cls.model_validate(known | {name: value for name, value in more.items() if value})


class PartAnswer(BaseModel):
    name: PartName
    tokens: int
    share: float = Field(description="Of the window")
    state: PartState
    reason: str = Field(description="For a person")
    text: str | None = Field(None, description="What the model reads")
    messages: list[ShownAnswer] | None = Field(None, description="Of the history")
    lines: list[dict[str, Any]] | None = Field(None, description="What was recalled, and the tokens of each line")

    @classmethod
    def of(cls, part: Part, told: Preview) -> Self:
        share = round(part.tokens / told.budget.window_tokens, 4)
        known = {"name": part.name, "tokens": part.tokens, "share": share, "state": part.state, "reason": part.reason}
        more = {
            "text": part.text,
            "messages": [ShownAnswer.of(each) for each in part.messages],
            "lines": _lines(told.recalled) if part.name == "recalled" else [],
        }
        return cls.model_validate(known | {name: value for name, value in more.items() if value})


class TriggerAnswer(BaseModel):
    name: TriggerName
    unit: Literal["tokens", "messages"]
    at: int
    now: int
    would_fire: bool
    reason: str = Field(description="At what mark, and whether now, for a person")


class PreviewAnswer(BaseModel):
    session_id: str | None = Field(description="null: chat would make a new one")
    agent_name: str
    model: str
    larger_model: bool = Field(description="Whether it is the agent's larger model, because of the length")
    window_tokens: int
    prompt_tokens: int
    room_tokens: int
    fits: bool
    parts: list[PartAnswer]
    triggers: list[TriggerAnswer]

    @classmethod
    def of(cls, told: Preview) -> Self:
        begun = told.begun
        return cls(
            session_id=None if told.is_new else begun.session.session_id,
            agent_name=begun.agent.name,
            model=begun.asked.model,
            larger_model=begun.parts.is_larger_model,
            window_tokens=told.budget.window_tokens,
            prompt_tokens=told.budget.prompt_tokens,
            room_tokens=max(told.budget.room_tokens, 0),
            fits=told.fits,
            parts=[PartAnswer.of(part, told) for part in told.parts],
            triggers=[TriggerAnswer.model_validate(each, from_attributes=True) for each in told.triggers],
        )


@router.post("/preview", response_model_exclude_unset=True, responses=documented(404, 409, 429, *A_BODY))
async def preview(body: ChatRequest, state: CurrentState, user: CurrentUser) -> PreviewAnswer:
    """The exact prompt that a turn with this body would send just now, part by part, and what its length would set off.
    Nothing is stored or begun, no model is asked, and it counts as no turn; two of a user are made at once."""
    async with state.previews.one_of(user.user_id):
        return PreviewAnswer.of(await state.turns.preview(user, body.ask(None)))


def _lines(found: RecallResult | None) -> list[dict[str, Any]]:
    if found is None:
        return []
    told = recalled_json(found)["items"]
    return [{**line, "tokens": item.tokens} for line, item in zip(told, found.items, strict=True)]
