"""The only room that knows LangChain: agents, their models and tools, and what is done with a model behind the scenes.

Which file for which question:
- what an agent's file says: catalog
- how a turn is answered, step by step: answer, lean, graph, run, step, listen, calls, pii
- what a model reads, and whether it fits: prompts, given, unchecked, tight, room, counted
- which models there are, and what went wrong with one: models, providers, thoughts, model_errors, embeddings
- models that ask nobody: builtin, script, script_file, template, speech
- tools, ours and those of outside servers: tools
- work behind the scenes: purposes, title, summary, revise, memory_agent, memory_tools
- what the user wishes, and what he has had forgotten: wishes, let_go
"""
