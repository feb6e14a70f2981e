"""The first lines of a server whose model is not set up."""

from tests.tools.running import server


def test_a_model_that_cannot_be_used_is_said_beside_the_address(data_dir):
    with server(data_dir, MODEL="openai:gpt-5-mini", MODEL_API_KEY="", OPENAI_API_KEY="") as running:
        said = next(line for line in running.process.stdout if line.startswith("WARNING"))
    assert said == (
        "WARNING: assistant, coder cannot answer."
        " The model openai:gpt-5-mini needs a key: set MODEL_API_KEY or OPENAI_API_KEY.\n"
    )
