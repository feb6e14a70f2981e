"""What the index is loaded from."""
import numpy as np
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.memory.reembed import embed_newest
from chatServer.store import recall
from tests.conftest import ADA
from tests.tools.turns import finished_turn

async def test_columns(database):
    await finished_turn(database, ADA, "I keep bees")
    await embed_newest(database, WordLlamaEmbedder(), ADA)
    sid,_=await finished_turn(database, ADA, "I drink tea")
    async with database.transaction(ADA) as c:
        clock, m, mem = await recall.load_newest(c, ADA.user_id, "wordllama", messages=10, memories=10)
    print(clock, m, mem)
    assert np.frombuffer(m.has_vector, ">i4").tolist()==[0,0,1,1]
    v=np.frombuffer(m.vectors, ">f2").reshape(2,-1)
    assert v.shape==(2,258)
    assert abs(np.linalg.norm(v[:,2:].astype(np.float32),axis=1)-1).max()<1e-2
    async with database.transaction(ADA) as c:
        n = await recall.read_news(c, ADA.user_id, "wordllama", recall.Since(0,0), found=[], excluded=[], scope=recall.Scope("x",None,None,("*",)), limit=10)
    print(n)
    assert len(n.live_messages)==4
