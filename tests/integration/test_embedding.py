"""Vectors are written after the turn, are of one embedder, and are made anew by one command."""

import asyncio
import json
import subprocess
import sys
import tracemalloc
import uuid

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from chatServer.agent.embeddings import LangChainEmbedder, embedder_of
from chatServer.api.looks import looks
from chatServer.api.readiness import Check
from chatServer.errors import EmbedderFailed, StartupError
from chatServer.memory import reembed as reembedding
from chatServer.memory.embed import NoEmbedder, WordLlamaEmbedder, settle, written
from chatServer.memory.recall.recall import POOL_SIZE
from chatServer.memory.recall.unpack import Piece, items_of
from chatServer.memory.reembed import embed_newest, reembed
from chatServer.messages import Message
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from chatServer.store.recall import load_newest
from chatServer.work.after_turn import Left, Workshop, index_turn
from tests.conftest import ADA, EVE, owner_connection, rows
from tests.tools.embedding import Stand
from tests.tools.recalling import recaller_of
from tests.tools.talking import talking
from tests.tools.turns import eventually, finish_turn, finished_turn, queued

WORDLLAMA = WordLlamaEmbedder()


def models_of(urls, table: str = "chat.message_index where place is not null"):
    dims = "get_byte(vec4, 0) * 256 + get_byte(vec4, 1)" if "message_index" in table else "vector_dims(vec)"
    return rows(urls, f"select embed_model, {dims} from {table}")


async def test_many_texts_take_no_more_room_than_the_longest_of_them():
    """A ligature of 18 letters, say, is three tokens; with one text like that, all took as much as it."""
    await WORDLLAMA.warm()
    texts = ["\ufdfa" * 2_000, *(f"tea {number}" for number in range(63))]
    tracemalloc.start()
    try:
        vectors = await WORDLLAMA.embed(texts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000
    assert (vectors[1] == (await WORDLLAMA.embed(["tea 0"]))[0]).all()


async def test_what_means_the_same_is_near_and_what_says_nothing_is_nowhere():
    texts = ["I adore my cat", "My kitten is lovely", "The invoice is overdue", "", "\0"]
    vectors = await WORDLLAMA.embed(texts)
    assert vectors.shape == (5, WORDLLAMA.size)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert np.linalg.norm(vectors[:3], axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert not vectors[3].any()
    assert (await WORDLLAMA.embed([])).shape == (0, 256)
    assert (await WORDLLAMA.embed(["x" * 100_000, "word " * 30_000])).shape == (2, 256)
    assert (await NoEmbedder().embed(["a"])).shape == (1, 0)
    assert written(np.array([[0.5, -1, 0]], np.float32)) == ["[0.5,-1,0]"]
    [again] = [np.array(json.loads(text), np.float16) for text in written(vectors[:1])]
    assert (again == vectors[0].astype(np.float16)).all(), "to the last bit"


def test_loading_it_leaves_the_logging_of_the_process_alone():
    asked = "import asyncio, logging; from chatServer.memory.embed import WordLlamaEmbedder as E; "
    asked += "asyncio.run(E().warm()); print(logging.getLogger().handlers, logging.getLogger().level)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout == "[] 30\n"


async def test_a_turn_over_http_leaves_its_vectors(settings, as_ada, urls):
    async with talking(settings, as_ada, worker="inprocess") as chat:
        await chat.post("/api/chat", json={"message": "I keep bees", "session_id": "s"})
        await eventually(lambda: asyncio.to_thread(lambda: queued(urls) == []))
    assert models_of(urls) == [("wordllama", 256)] * 2
    assert rows(urls, "select model, size from chat.embedding") == [("wordllama", 256)]


async def test_a_turn_makes_up_for_those_before_it_that_nobody_came_to(database, urls, monkeypatch):
    monkeypatch.setattr(reembedding, "TURN_MESSAGES", 4)
    for text in ("I keep bees", "I live in Rome", "I drink tea", "I play chess", "I read Kant"):
        await finished_turn(database, ADA, text)
    await embed_newest(database, WORDLLAMA, ADA)
    assert models_of(urls) == [("wordllama", 256)] * 10
    assert await embed_newest(database, WORDLLAMA, ADA) == reembedding.NOTHING


@pytest.mark.parametrize("lacking", ["true", "role = 'user'", "role = 'user' or content = 'Gladly.'"])
async def test_a_turn_whose_job_comes_late_gets_its_vectors(database, urls, monkeypatch, lacking):
    async def no_model(_):
        return None

    monkeypatch.setattr(reembedding, "TURN_MESSAGES", 2)
    steps = [Message(role="assistant", content=f"I look at hive {number}.") for number in range(5)]
    async with database.transaction(ADA) as connection:
        late = await finish_turn(connection, ADA, str(uuid.uuid4()), "I keep bees", between=steps)
    await finished_turn(database, ADA, "I live in Rome")
    await embed_newest(database, WORDLLAMA, ADA)
    with owner_connection(urls.owner) as connection:  # the others came, and nobody came to these
        said = "select message_id, turn_id, message #>> '{data,content}' as content from public.chat_message_history"
        connection.execute(
            f"update chat.message_index i set embed_model = null, vec4 = null from ({said}) as said"
            f" where said.message_id = i.message_id and said.turn_id = %s and ({lacking})",
            (late,),
        )
    assert (None, None) in models_of(urls)
    await Workshop(database, no_model, embedder=WORDLLAMA).after_turn(str(ADA.user_id), str(late))
    assert models_of(urls) == [("wordllama", 256)] * 9


async def test_another_embedder_is_refused_and_the_command_is_named(database, urls):
    await settle(database, WORDLLAMA)
    await settle(database, WORDLLAMA)
    await settle(database, NoEmbedder())
    for other in (Stand(), Stand("wordllama", 128)):
        with pytest.raises(StartupError, match="chatserver memory reembed") as refused:
            await settle(database, other)
        assert "wordllama (256 numbers)" in str(refused.value)
    assert rows(urls, "select model, size from chat.embedding") == [("wordllama", 256)]


async def test_an_embedder_that_cannot_say_its_size_is_refused_at_the_first_start_only(database):
    absent = Stand(size=None, fails=True)
    with pytest.raises(StartupError, match="It is gone"):
        await settle(database, absent)
    await settle(database, Stand())
    await settle(database, absent)


async def test_a_size_that_only_a_text_tells_is_measured_at_every_start(database):
    class Unmeasured(Stand):
        async def embed(self, texts):
            self.size = 2
            return await super().embed(texts)

    await settle(database, Stand())
    with pytest.raises(StartupError, match="3 numbers"):
        await settle(database, Unmeasured(size=None))


async def test_reembedding_changes_all_of_all_users_and_goes_on_where_it_was(database, urls, monkeypatch):
    monkeypatch.setattr(reembedding, "BATCH", 2)
    for user in (ADA, EVE):
        for text in ("I keep bees", "I live in Rome", "I drink tea"):
            await finished_turn(database, user, text)
        await embed_newest(database, WORDLLAMA, user)
    await settle(database, WORDLLAMA)
    assert models_of(urls) == [("wordllama", 256)] * 12

    other, seen = Stand(), []

    def stop(progress):
        seen.append(progress)
        if progress.messages >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await reembed(database, other, stop)
    assert 8 <= len(other.asked) < 12
    assert rows(urls, "select model from chat.embedding") == [("wordllama",)], "not before the last one"
    done = await reembed(database, other)
    assert (done.users, done.messages) == (2, 4), "what was done is not done again"
    assert models_of(urls) == [("stand:in", 3)] * 12
    assert rows(urls, "select model, size from chat.embedding") == [("stand:in", 3)]
    assert (await reembed(database, other)).messages == 0


async def test_a_user_with_a_row_that_cannot_be_read_keeps_nobody_else_waiting(database, urls, caplog):
    first, second = sorted((ADA, EVE), key=lambda user: user.user_id)
    for user in (first, second):
        await finished_turn(database, user, "I keep bees")
    with owner_connection(urls.owner) as owner:
        owner.execute(
            "update public.chat_message_history set created_at = '0044-03-15 BC' where user_id = %s", (first.user_id,)
        )
    done = await reembed(database, Stand())
    assert (done.users, done.failed, done.messages) == (2, 1, 2)
    assert f"user {first.user_id} is left out" in caplog.text
    assert "1 users left out" in str(done)
    with pytest.raises(EmbedderFailed):
        await reembed(database, Stand("stand:other", fails=True))


async def test_rows_of_other_writers_get_their_entries(database, urls):
    session_id = str(uuid.uuid4())
    async with database.transaction(ADA) as connection:
        await sessions.insert_session(connection, ADA.user_id, session_id, "coder")
        said = ChatMessageHistory(connection, ADA.user_id, session_id, agent_name="coder")
        await said.append(
            [Message(role="user", content="I keep bees", name="ada"), Message(role="assistant", content="Oh")]
        )
        await said.append([Message(role="tool", content="42", tool_call_id="x")])
    before = rows(urls, "select * from chat.message_index order by place")
    assert len(before) == 2
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.message_index where role = 'user'")
        connection.execute("update chat.message_index set place = null, terms = null, role = null, said_at = null")
    await embed_newest(database, NoEmbedder(), ADA)
    assert rows(urls, "select * from chat.message_index order by place") == before
    done = await reembed(database, NoEmbedder())
    assert done.entries == 0
    assert rows(urls, "select model from chat.embedding") == []


@pytest.mark.parametrize(
    "before", [f"data:image/png;base64,{'QUJD' * 1_000}", "=" * 2_000, "-=" * 2_000, " \n" * 2_000]
)
async def test_words_are_found_that_come_after_a_file_or_a_line_of_signs(database, urls, before):
    await finished_turn(database, ADA, f"{before} I keep bees", answer=before)
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.message_index")
    await embed_newest(database, Stand(), ADA)
    assert rows(urls, "select role, embed_model from chat.message_index where tsv @@ 'bees'") == [("user", "stand:in")]
    assert rows(urls, "select count(*) from chat.message_index") == [(1,)], "what has no word gets none"


async def test_an_embedder_that_fails_leaves_the_turn_alone_and_the_next_turn_catches_up(database, urls):
    async def no_model(_):
        return None

    _, turn_id = await finished_turn(database, ADA, "I keep bees")
    await index_turn(Workshop(database, no_model, embedder=Stand(fails=True)), ADA, Left(turn_id))
    assert models_of(urls) == [(None, None)] * 2
    _, turn_id = await finished_turn(database, ADA, "and wasps")
    await index_turn(Workshop(database, no_model, embedder=Stand()), ADA, Left(turn_id))
    assert models_of(urls) == [("stand:in", 3)] * 4


async def test_a_vector_of_before_there_were_small_ones_is_read_as_it_was(database, urls):
    await finished_turn(database, ADA, "I keep bees")
    await embed_newest(database, Stand(), ADA)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.message_index set vec = '[0.5,-1,0]', vec4 = null where role = 'user'")
    async with database.transaction(ADA) as connection:
        _, columns, _ = await load_newest(connection, ADA.user_id, "stand:in", messages=10, memories=10)
    assert np.frombuffer(columns.has_vector, ">i4").tolist() == [1, 1]
    piece = Piece.of(columns, is_memory=False)
    assert piece
    vectors = [np.frombuffer(vec, "<f2")[:3] for vec in items_of([(piece, range(len(piece)))]).vecs]
    assert vectors[1].tolist() == [0.5, -1, 0]
    assert abs(vectors[0]).max() == 7, "the answer's is small"


async def test_a_vector_is_not_given_to_a_text_that_it_was_not_made_of(database, urls):
    await finished_turn(database, ADA, "I keep bees")

    class Late(Stand):
        async def embed(self, texts):
            with owner_connection(urls.owner) as connection:
                connection.execute("update chat.message_index set place = place + 1000 where role = 'user'")
            return await super().embed(texts)

    await embed_newest(database, Late(), ADA)
    assert sorted(models_of(urls), key=str) == [("stand:in", 3), (None, None)]


async def test_embeddings_of_langchain_are_used_by_name_and_what_they_raise_is_told_without_their_words(settings):
    assert isinstance(embedder_of(settings), WordLlamaEmbedder)
    assert embedder_of(settings.model_copy(update={"embedder": "off"})).size == 0
    unknown = embedder_of(settings.model_copy(update={"embedder": "nonsense:x"}))
    with pytest.raises(EmbedderFailed, match="nonsense:x cannot be set up"):
        await unknown.embed(["hello"])
    known = LangChainEmbedder("fake:x")
    known._built = DeterministicFakeEmbedding(size=12)
    vectors = await known.embed(["hello", "", "hello"])
    assert (known.size, vectors.shape) == (12, (3, 12))
    assert np.allclose(vectors[0], vectors[2])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    known._built = DeterministicFakeEmbedding(size=13)
    with pytest.raises(EmbedderFailed, match="another size"):
        await known.embed(["hello"])


async def test_memory_is_loading_until_its_embedder_and_every_connection_are_there(database):
    class Slow(Stand):
        loaded = asyncio.Event()

        async def warm(self):
            await self.loaded.wait()

    async with recaller_of(database, Slow()) as recaller:
        look = looks(database, None, None, recaller, None)["memory"]
        assert await look() == Check(ok=False, detail="loading")
        Slow.loaded.set()
        async with asyncio.timeout(60):
            while not (await look()).ok:
                await asyncio.sleep(0.01)
            assert await look() == Check(ok=True, detail="loaded")
            while recaller._database.usage().size < POOL_SIZE:  # a slow machine has not given all of them in time
                await recaller.warm()


async def test_a_text_alone_has_the_vector_that_it_has_among_others():
    texts = ["My kitten sleeps all day", "", "Où est la clé?", "x" * 500]
    together = await WORDLLAMA.embed(texts)
    assert np.array_equal(together, np.concatenate([await WORDLLAMA.embed([text]) for text in texts]))
