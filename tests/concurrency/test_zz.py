import pytest
from concurrency import test_random as t
from concurrency.cast import Cast
@pytest.mark.parametrize("seed", [121,135])
def test_z(cast: Cast, seed: int) -> None:
    t.test_random_work(cast, seed)
def test_verify(cast):
    cast.two_segments()
    cast.owner.begin("repeatable read")
    cast.another("owner").run("select rag.rebuild_index('c')")
    for q in ["select * from rag.verify_index('c')"]:
        try: print(cast.owner.run(q))
        except Exception as e: print("VERIFY RR", e)
    cast.owner.rollback()
    cast.owner.run("begin read only")
    try: print(cast.owner.run("select * from rag.verify_index('c')"))
    except Exception as e: print("VERIFY RO", e)
    cast.owner.rollback()
    cast.owner.run("begin read only")
    try: print(cast.owner.run("select source from rag.bm25_search('valve')"))
    except Exception as e: print("SEARCH RO", e)
