"""What the index in the process knows stays what the database holds, whoever asks, in whatever order it is told."""

from uuid import UUID

from chatServer.memory.embed import NoEmbedder
from tests.conftest import ADA, owner_connection
from tests.tools.recalling import asked, recaller_of, remembered, texts

BEES = "The user keeps bees in the orchard"


def change(urls, query: str, *values: object) -> None:
    with owner_connection(urls.owner) as connection:
        connection.execute(query, values)


async def test_one_agents_question_about_somebody_leaves_another_agents_memory_of_them_alone(database):
    await remembered(database, ADA, "Bob works at Acme", shelf="coder", triple=("Bob", "works at", "Acme"))
    await remembered(database, ADA, "Bob sings", triple=("Bob", "does", "singing"))
    async with recaller_of(database, NoEmbedder()) as recaller:
        for _ in range(2):
            assert texts(await asked(recaller, ADA, "What about Bob?")) == ["Bob sings"]
            assert texts(await asked(recaller, ADA, "What about Bob?", agent_name="coder")) == ["Bob works at Acme"]


def _known(recaller) -> set[UUID]:
    index = recaller.shelves._kept[ADA.user_id].shelf.index
    return {index.id_of(row) for row in range(index.columns.count) if index.columns["alive"][row]}
