"""A row for each table, with no more in it than it has to have."""

from psycopg import sql

SESSION, TURN = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def minimal_rows(session_id: str, turn_id: str, number: int) -> dict[str, dict[str, object]]:
    """The least that each table takes beside user_id, in an order that foreign keys accept."""
    name = f"agent{number}"
    message = {"session_id": session_id, "message": "{}"}
    return {
        "chat.sessions": {"session_id": session_id, "agent_name": name},
        "public.user_agent_active_sessions": {"agent_name": name, "active_session_id": session_id},
        "public.chat_message_history": message,
        "chat.message_superseded": message
        | {"id": number, "created_at": "now", "message_id": turn_id, "importance": 0.7},
        "chat.message_index": {"message_id": turn_id, "session_id": session_id, "tsv": ""},
        "chat.message_images": {
            "image_id": turn_id,
            "session_id": session_id,
            "message_id": turn_id,
            "media_type": "image/png",
            "bytes": b"",
        },
        "chat.turns": {"turn_id": turn_id, "session_id": session_id, "agent_name": name},
        "chat.turn_events": {"turn_id": turn_id, "seq_from": number, "seq_to": number, "events": "[]"},
        "chat.user_events": {"seq": number, "kind": "turn", "data": "{}"},
        "chat.user_event_heads": {"seq": number},
        "public.agent_long_term_memory": {"agent_name": name},
        "chat.notes_versions": {
            "agent_name": name,
            "version": number,
            "notes": "",
            "operation": "append",
            "actor": "user",
        },
        "chat.summaries": {"session_id": session_id, "summary": "", "covers_to": number, "tokens": number},
        "chat.usage_daily": {"day": "today", "agent_name": name, "model": "builtin"},
        "chat.user_limits": {"turns_at": "{}"},
        "chat.memory_heads": {"seq": number},
        "chat.memories": {
            "memory_id": turn_id,
            "seq": number,
            "shelf": name,
            "agent_name": name,
            "kind": "fact",
            "category": "knowledge",
            "text": name,
            "digest": b"%d" % number,
            "importance": 0.5,
            "origin": "rules",
            "trust": "user",
            "tsv": "",
            "terms": b"",
        },
        "chat.erasures": {"erased_at": f"2026-01-0{number}", "counts": "{}"},
        "chat.personal_tokens": {
            "token_id": turn_id,
            "name": "laptop",
            "digest": b"x" * 32,
            "scopes": ["chat"],
            "expires_at": "infinity",
        },
        "chat.articles": {
            "article_id": turn_id,
            "name": name,
            "title": name,
            "media_type": "text/plain",
            "size_bytes": number,
            "content_hash": "",
        },
        "chat.article_files": {"article_id": turn_id, "part": number, "bytes": b""},
        "chat.article_chunks": {"article_id": turn_id, "position": number, "text": "", "tokens": 0, "tsv": ""},
        "chat.memory_changes": {"seq": number, "memory_id": turn_id, "operation": "created", "actor": "rules"},
        "chat.embedding": {"model": name, "size": number},
    }


ROWS = minimal_rows(SESSION, TURN, 1)


def insert(table: str, row: dict[str, object], user_id: object = None) -> sql.Composed:
    values = row if user_id is None else {"user_id": user_id, **row}
    return sql.SQL("insert into {} ({}) values ({})").format(
        sql.Identifier(*table.split(".")),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(map(sql.Literal, values.values())),
    )
