"""HTTP only: routes, bodies, sign-in, errors as problems.

Which file for which question:
- routes for users: chat, sessions, memories, notes, knowledge, events, context, agents, usage, account,
  account_tokens, mcp
- routes for anybody: client, dev, auth_proxy, health, docs_page, web_page
- bodies and answers: schemas, chat_body, memory_schemas, memory_reports, fields, event_stream, problems
- who is asking, and for what: deps, auth, keys, personal_tokens, scopes, sign_ins, dev_key, dev_users, local
- what every request passes: edge, traffic, request_id, headers, door, shutdown, last_resort, body, json_body, in_turn,
  patience, at_once
- what lives as long as the server, and whether it is well: state, readiness, looks, build
"""
