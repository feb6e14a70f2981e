"""Statements travel together: each waits until somebody asks for an answer, then all that wait go in one message.

This is libpq's pipeline mode without psycopg's around it: that one ends with a Flush, for which pgbouncer 1.18 gives
an idle client a server connection and never takes it back (docs/decisions/0008).
"""

import contextlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, Self, TypeAlias, TypeVar

import psycopg
from psycopg import AsyncConnection, abc
from psycopg._preparing import Prepare
from psycopg._queries import PostgresQuery, _query2pg_nocache
from psycopg.abc import Buffer
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, Format, PipelineStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.rows import AsyncRowFactory, TupleRow, tuple_row

from chatServer.store.exchange import DONE, exchanged

Row = TypeVar("Row")
Values: TypeAlias = Mapping[str, Any] | Sequence[Any] | None

KEPT = "_chat_transformer"
# Of what begins a transaction; who it is for is spelt in the statement, and would be prepared for each user anew.
ALWAYS_THE_SAME = (b"begin", b"set local role", b"set local statement_timeout", b"set local idle")


# What psycopg makes of a text with named places: once for each of ours, of which there are more than it remembers.
_with_numbers = lru_cache(maxsize=1_024)(_query2pg_nocache)


class Statement:
    """One that waits, or has been answered; to psycopg it looks like a query of its own."""

    __slots__ = ("formats", "is_binary", "may_prepare", "params", "query", "result", "types")

    def __init__(self, query: bytes, *, may_prepare: bool, is_binary: bool) -> None:
        self.query = query
        self.params: Sequence[Buffer | None] | None = None
        self.types: tuple[int, ...] = ()
        self.formats: Sequence[Format] | None = None
        self.may_prepare = may_prepare
        self.is_binary = is_binary  # how its answer comes: in the columns' own bytes, not as text
        self.result: PGresult | None = None


def _transformer_of(connection: AsyncConnection[Any]) -> abc.Transformer:
    """What psycopg learns of the types that it writes and reads, kept for the life of a connection: to learn it anew
    took 7 % of a transaction's CPU (14 statements, 2026-11-19). It is never used across a wait."""
    kept: abc.Transformer | None = getattr(connection, KEPT, None)
    if kept is None:
        setattr(connection, KEPT, kept := Transformer(connection))
    return kept


class Pipeline:
    """A connection for the length of one transaction, which begins with the first statement that is sent."""

    def __init__(self, connection: AsyncConnection[Any], begin: Sequence[bytes], *, waited_s: float) -> None:
        self.waited_s = waited_s  # for a connection: whoever wanted this transaction wanted it so long ago
        self._connection = connection
        self._transformer = _transformer_of(connection)
        self._begin = begin
        self._waiting: list[Statement] = []
        self._last: list[Statement] = []
        self._has_begun = False
        self._is_over = False  # it takes no more statements: one has failed, or the block has ended

    async def execute(self, query: bytes | str, values: Values = None, *, binary: bool = False) -> "Answer[TupleRow]":
        """Let a statement wait for the next answer that is asked for; its error, if any, is raised there."""
        answer = Answer(self, tuple_row)
        answer.statement = self.add(query, values, binary=binary)
        return answer

    def execute_last(self, query: bytes | str, values: Values) -> None:
        """Let a statement wait for the end of the transaction: whatever locks it takes are the last, and are short."""
        self._last.append(self._converted(query, values))

    @property
    def has_last_words(self) -> bool:
        return bool(self._last)

    def cursor(self, *, row_factory: AsyncRowFactory[Row]) -> "Answer[Row]":
        return Answer(self, row_factory)

    def add(
        self, query: bytes | str, values: Values = None, *, may_prepare: bool = True, binary: bool = False
    ) -> Statement:
        statement = self._converted(query, values, may_prepare=may_prepare, binary=binary)
        self._waiting.append(statement)
        return statement

    def _converted(
        self, query: bytes | str, values: Values, *, may_prepare: bool = True, binary: bool = False
    ) -> Statement:
        text = query.encode() if isinstance(query, str) else query
        if values is None:
            return Statement(text, may_prepare=may_prepare, is_binary=binary)
        text, formats, names, parts = _with_numbers(text, "utf-8")
        try:
            given: Sequence[Any] | None = [values[name] for name in names] if names and type(values) is dict else None
        except KeyError:
            given = None
        if given is None:
            given = PostgresQuery.validate_and_reorder_params(parts, values, names)  # which says what is missing
        statement = Statement(text, may_prepare=may_prepare, is_binary=binary)
        statement.params = self._transformer.dump_sequence(given, formats)
        statement.types = self._transformer.types or ()
        statement.formats = self._transformer.formats
        return statement

    async def result_of(self, statement: Statement) -> PGresult:
        if statement.result is None:
            await self.flush()
        if statement.result is None:
            raise psycopg.errors.InFailedSqlTransaction("this transaction has failed or ended")
        return statement.result

    def rows_of(self, result: PGresult, make_row: Any, first: int, last: int) -> list[Any]:
        self._transformer.set_pgresult(result)
        return self._transformer.load_rows(first, last, make_row)

    async def flush(self) -> None:
        """Send what waits, for whoever needs it done, though not its answers: a lock that others shall wait for."""
        async with self._connection.lock:  # another task may just have sent what we wait for
            if self._is_over or not self._waiting:
                return
            if not self._has_begun:
                waiting, self._waiting = self._waiting, []
                for query in self._begin:
                    self.add(query, may_prepare=query.startswith(ALWAYS_THE_SAME))
                self._waiting += waiting
            statements, self._waiting = self._waiting, []
            # Until the last answer is in, a cancellation included: after a failed BEGIN nothing is SET LOCAL.
            self._has_begun = self._is_over = True
            pgconn = self._connection.pgconn
            pgconn.enter_pipeline_mode()
            sent = [each for statement in statements for each in self._put(pgconn, statement)]
            pgconn.pipeline_sync()
            results = await exchanged(self._connection)
            for statement, result in zip(sent, results, strict=False):
                if result.status not in DONE:
                    raise _error_of(statement, result, pgconn._encoding)
                statement.result = result
            if len(results) < len(sent):
                raise psycopg.OperationalError("the connection was lost")
            self._is_over = False

    async def commit(self) -> None:
        """Send what still waits, the last words and COMMIT with it; nothing at all when there was no statement."""
        if self._is_over:
            raise RuntimeError("a statement failed and its error was swallowed: COMMIT would silently roll back")
        self._waiting += self._last
        if self._has_begun or self._waiting:
            unread = list(self._waiting)
            self.add(b"commit")
            await self.flush()
            await self._forget_unused()
            self._learn_to_read(unread)
        self._is_over = True

    def _learn_to_read(self, statements: Sequence[Statement]) -> None:
        """While the connection can be asked how it writes moments: the pool may close it before these answers are read,
        as it does with one that is an hour old."""
        for statement in statements:
            if statement.result and statement.result.status == ExecStatus.TUPLES_OK:
                self._transformer.set_pgresult(statement.result)

    async def rollback(self) -> None:
        """Leave the connection as it was found, or closed: then the pool makes another."""
        self._is_over = True
        if self._connection.pgconn.pipeline_status != PipelineStatus.OFF:
            await self._connection.close()
        elif self._has_begun:
            with contextlib.suppress(psycopg.Error):  # on a lost connection there is nothing to roll back
                await self._connection.rollback()
                self._connection._prepared.clear()  # whether the server has got them all is not known
                await self._forget_unused()

    async def _forget_unused(self) -> None:
        if not self._connection._prepared._to_flush:
            return
        async with self._connection.lock:
            await self._connection.wait(self._connection._prepared.maintain_gen(self._connection))

    def _put(self, pgconn: PGconn, statement: Statement) -> list[Statement]:
        """Into libpq's buffer; returned is whose answers will come."""
        text, params, types, formats = statement.query, statement.params, statement.types, statement.formats
        form = int(statement.is_binary)
        prepared = self._connection._prepared
        if name := prepared._names.get((text, types)) if statement.may_prepare else None:
            prepared._names.move_to_end((text, types))  # the one that was used longest ago is the first to go
            pgconn.send_query_prepared(name, params, param_formats=formats, result_format=form)
            return [statement]
        prepare, name = prepared.get(statement, None if statement.may_prepare else False)  # type: ignore[arg-type]
        if prepare is Prepare.NO:
            pgconn.send_query_params(text, params, types, formats, result_format=form)
        else:
            pgconn.send_prepare(name, text, param_types=types)
            pgconn.send_query_prepared(name, params, param_formats=formats, result_format=form)
        if statement.may_prepare and prepared.maybe_add_to_cache(statement, prepare, name):  # type: ignore[arg-type]
            prepared._rotate()
        return [statement, statement] if prepare is Prepare.SHOULD else [statement]


class Answer(Generic[Row]):
    """What comes back for a statement, in the manner of a cursor. Asking for it is what sends the statement."""

    def __init__(self, pipeline: Pipeline, row_factory: AsyncRowFactory[Row]) -> None:
        self._pipeline = pipeline
        self._row_factory = row_factory
        self.statement: Statement | None = None
        self._place = 0
        self.pgresult: PGresult | None = None  # for row factories, as is the next

    @property
    def _encoding(self) -> str:
        return self._pipeline._connection.pgconn._encoding

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def execute(self, query: bytes | str, values: Values = None, *, binary: bool = False) -> Self:
        self.statement = self._pipeline.add(query, values, binary=binary)
        self._place = 0
        return self

    async def fetchone(self) -> Row | None:
        rows = await self._fetch(1)
        return rows[0] if rows else None

    async def fetchall(self) -> list[Row]:
        return await self._fetch(None)

    async def _fetch(self, limit: int | None) -> list[Row]:
        if self.statement is None:
            raise psycopg.ProgrammingError("no statement was executed")
        result = self.pgresult = await self._pipeline.result_of(self.statement)
        if result.status != ExecStatus.TUPLES_OK:
            raise psycopg.ProgrammingError("the statement does not give rows")
        first, last = self._place, result.ntuples if limit is None else min(self._place + limit, result.ntuples)
        self._place = last
        if first == last:
            return []
        # A row factory looks at the result's columns only, which an answer has as a cursor has them.
        return self._pipeline.rows_of(result, self._row_factory(self), first, last)  # type: ignore[arg-type]


def _error_of(statement: Statement, result: PGresult, encoding: str) -> psycopg.Error:
    if result.status != ExecStatus.FATAL_ERROR:
        return psycopg.NotSupportedError("this statement cannot travel with others")
    error = psycopg.errors.error_from_result(result, encoding=encoding)
    error.add_note(f"The statement was: {statement.query.decode(encoding)}")  # not the one that waits for rows
    return error
