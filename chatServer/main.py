"""create_app(): the rooms put together, and a lifespan that builds and closes one typed State."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TypedDict

import httpx
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.cors import CORSMiddleware

from chatServer import __version__, heap, metrics, tracing
from chatServer.agent.answer import Answerer
from chatServer.agent.catalog import Catalog, load_agents
from chatServer.agent.embeddings import embedder_of
from chatServer.agent.models import Models
from chatServer.agent.purposes import Advisers, compressions_for, models_for
from chatServer.agent.title import title_models
from chatServer.api import (
    account,
    account_tokens,
    agents,
    auth_proxy,
    build,
    chat,
    client,
    context,
    dev,
    docs_page,
    events,
    headers,
    health,
    knowledge,
    mcp,
    memories,
    notes,
    problems,
    sessions,
    usage,
    web_page,
)
from chatServer.api.auth import Authenticator, Issuer
from chatServer.api.body import WholeBody
from chatServer.api.dev_key import DEV_ISSUER, DevKey
from chatServer.api.door import Door
from chatServer.api.in_turn import InTurn
from chatServer.api.keys import IssuerKeys, Keys, OneKey
from chatServer.api.looks import looks
from chatServer.api.personal_tokens import PersonalTokens
from chatServer.api.readiness import Readiness
from chatServer.api.shutdown import Shutdown
from chatServer.api.state import State
from chatServer.api.traffic import Traffic
from chatServer.config import Settings
from chatServer.conversation import feed
from chatServer.conversation.tokens import count_once, count_text
from chatServer.knowledge.ingest import Library
from chatServer.knowledge.retrieve import Retriever
from chatServer.memory import guard
from chatServer.memory.embed import settle
from chatServer.memory.maintain import Retention
from chatServer.memory.recall import recall
from chatServer.protocols.mcp import load as load_mcp
from chatServer.protocols.mcp import tools_for
from chatServer.protocols.mcp.desk import Desk
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database
from chatServer.turn.before import Beginning
from chatServer.turn.limits import Quotas
from chatServer.turn.recalled import Recaller
from chatServer.turn.turns import Turns
from chatServer.work import worker
from chatServer.work.after_turn import Workshop
from chatServer.work.revision import Reviser

HTTP_TIMEOUT_S = 10

# Its spans hold the query string, which holds what people search for, and its logs the text of exceptions.
NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


class LifespanState(TypedDict):
    chat: State


def create_app(settings: Settings, state: State | None = None) -> FastAPI:
    """The server as an ASGI application; a caller that has built the State keeps it, and closes it."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[LifespanState]:
        async with contextlib.nullcontext(state) if state else running(settings) as built:
            yield {"chat": built}

    of_users = (chat, context, events, sessions, agents, notes, memories, knowledge, mcp, usage)
    of_accounts = (account_tokens, account)
    rooms = (*of_users, *of_accounts, client, dev, auth_proxy, health, docs_page, web_page)
    app = problems.DescribedApp(
        # As they are: to include the routers would build every route once more, 35 ms for all (2026-11-18).
        routes=[route for room in rooms for route in room.router.routes],
        title="chatServer",
        version=__version__,
        summary="The chat backend that remembers",
        lifespan=lifespan,
        redirect_slashes=False,  # a redirect would repeat the Host header, which is anybody's
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
    )
    problems.install(app, web_page.not_found)
    add_edges(app, settings)
    return app


def add_edges(app: FastAPI, settings: Settings) -> None:
    """What every request passes, from the inside out: whatever refuses or fails is still logged and has all headers."""
    app.add_middleware(chat.Straight)
    app.add_middleware(InTurn)
    app.add_middleware(WholeBody)
    app.add_middleware(Door)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=headers.CORS_METHODS,
            allow_headers=headers.CORS_REQUEST_HEADERS,
            expose_headers=headers.CORS_ANSWER_HEADERS,
        )
    app.add_middleware(Traffic)


@contextlib.asynccontextmanager
async def running(settings: Settings, *, when_loaded: Callable[[], None] = lambda: None) -> AsyncIterator[State]:
    """Everything that lives as long as the server; `when_loaded`: nothing more will be imported for a while."""
    tracing.forget_tracing_variables(settings)
    agents_found = load_agents(settings.agents_dir, settings.default_agent)
    dev_key = DevKey.of(settings.chat_data_dir) if settings.auth_mode == "dev" else None
    commit = build.commit(settings.git_commit)
    metrics.build.info({"version": __version__, "commit": commit})
    async with (
        heap.giving_back(),
        opened_database(settings) as database,
        http_client() as http,
        http_client() as http_for_keys,
        warming_models(settings, agents_found, when_loaded) as models,
    ):
        embedder = embedder_of(settings)
        await settle(database, embedder)
        keys = verification_keys(settings, dev_key, http_for_keys)
        issuer = DEV_ISSUER if dev_key else Issuer(settings.issuer, settings.auth_audience)
        tokens = PersonalTokens(database)
        shutdown = Shutdown(settings.shutdown_grace_s)
        tasks = workshop(settings, database, agents_found, models).tasks()
        advisers = advisers_of(settings, agents_found, models)
        beginning = Beginning(database, agents_found, models, settings.model, Quotas.of(settings), advisers)
        async with (
            worker.beside_the_server(settings, database, tasks, shutdown.begun),
            recall.recalling(
                database,
                embedder,
                count_once,
                cache_mb=settings.recall_cache_mb,
                deadline_ms=settings.recall_ms,
                closed=agents_found.closed,
            ) as recaller,
            Readiness(looks(database, keys, models, recaller, agents_found)) as readiness,
            running_turns(settings, beginning, recaller, Retriever(database, embedder, count_text), shutdown) as turns,
            feed.running(database, shutdown.begun) as feeds,
        ):
            try:
                yield State(
                    settings=settings,
                    database=database,
                    agents=agents_found,
                    turns=turns,
                    recaller=recaller,
                    desk=Desk(database, agents_found, recaller, advisers),
                    library=library_of(settings, database),
                    feeds=feeds,
                    authenticator=Authenticator(issuer, keys, tokens),
                    tokens=tokens,
                    dev_key=dev_key,
                    http=http,
                    readiness=readiness,
                    shutdown=shutdown,
                    commit=commit,
                )
            finally:
                shutdown.begin()  # also where no signal came: whatever works beside the requests ends now


@contextlib.asynccontextmanager
async def warming_models(
    settings: Settings, catalog: Catalog, when_loaded: Callable[[], None]
) -> AsyncIterator[Models]:
    """The models, those that agents name being loaded meanwhile: a provider's package takes seconds to import."""
    models = Models(settings)
    await asyncio.to_thread(count_text, "")  # the vocabulary, too
    names = [agent.model or settings.model for agent in catalog]
    names += [agent.larger_model for agent in catalog if agent.larger_model]
    warming = asyncio.create_task(_warm(models, names))
    warming.add_done_callback(lambda _: when_loaded())
    try:
        yield models
    finally:
        await asyncio.wait({warming})
        await models.close()


async def _warm(models: Models, names: Sequence[str]) -> None:
    await models.warm(names)
    await load_mcp()


def workshop(settings: Settings, database: Database, catalog: Catalog, models: Models) -> Workshop:
    """What jobs are done with, here and in `chatserver worker`."""
    guard.install(settings.guard)
    titles = title_models(models, catalog, settings.model)
    retention = Retention(settings.retention_days, catalog.retention_days)
    advisers = advisers_of(settings, catalog, models)
    reviser = Reviser(settings.revise_model, advisers, tools_for(Desk(database, catalog, advisers=advisers)))
    library = library_of(settings, database)
    return Workshop(database, titles, catalog.memory_scope, library.embedder, retention, reviser, library)


def library_of(settings: Settings, database: Database) -> Library:
    """What articles are made with."""
    return Library(database, count_text, embedder_of(settings), settings.limit_articles, settings.limit_chunks)


def advisers_of(settings: Settings, catalog: Catalog, models: Models) -> Advisers:
    """Who works behind the scenes, and how much of it a user may have in a day."""
    asked = models_for(models, catalog, settings.model)
    limits = (settings.limit_tokens_per_day, settings.limit_anonymous_tokens_per_day)
    how = compressions_for(settings, catalog, models)
    return Advisers(asked, settings.limit_revision_tokens_per_day, *limits, compression=how)


@contextlib.asynccontextmanager
async def running_turns(
    settings: Settings, beginning: Beginning, recaller: Recaller, retriever: Retriever, shutdown: Shutdown
) -> AsyncIterator[Turns]:
    """The turns of this process; those that outlive its grace are interrupted when it ends."""
    answerer = Answerer(
        beginning.models, model_timeout_s=settings.model_timeout_s, tool_timeout_s=settings.tool_timeout_s
    )
    turns = Turns(
        beginning,
        answerer,
        recaller,
        retriever,
        timeout_s=settings.turn_timeout_s,
        on_start=shutdown.enter,
        on_end=shutdown.leave,
    )
    try:
        yield turns
    finally:
        await turns.close()
        await retriever.close()


def http_client() -> httpx.AsyncClient:
    """One that keeps no cookies: what the issuer sets for one user must not be sent for the next."""
    forgetful = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
    return httpx.AsyncClient(timeout=HTTP_TIMEOUT_S, cookies=forgetful, trust_env=False, verify=_authorities())


@cache
def _authorities() -> ssl.SSLContext:
    """Whose certificates are believed, read once: 20 ms (2026-11-15)."""
    return httpx.create_ssl_context(trust_env=False)


def verification_keys(settings: Settings, dev_key: DevKey | None, http: httpx.AsyncClient) -> Keys:
    """The keys of the configured mode."""
    if dev_key is not None:
        return OneKey(dev_key.secret)
    if settings.auth_jwt_secret is not None and settings.auth_mode == "secret":
        return OneKey(settings.auth_jwt_secret.get_secret_value().encode())
    return IssuerKeys(settings.jwks_url, http)
