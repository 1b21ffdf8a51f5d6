# ClickHouse in a process of its own, asked by lines of JSON as in host.ts: chdb_host.py FOLDER
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from chdb import session

database = session.Session(sys.argv[1])
speaking = threading.Lock()


def answer(asked):
    if "rows" in asked:
        result = database.query(asked["rows"], "ArrowStream")
        result.bytes()
        return result.rows_read()
    if "run" in asked:
        # A statement with a number for an answer gives it; any other, 0.
        return int(str(database.query(asked["run"], "CSV")).strip() or 0)
    columns = "inverter, ts, p_ac, p_dc, u_dc, t_cab"
    path = asked["load"]
    database.query(f"INSERT INTO plant.sample ({columns}) FROM INFILE '{path}' FORMAT Native")
    return 0


def take(asked):
    try:
        said = {"id": asked["id"], "rows": answer(asked)}
    except Exception as error:
        said = {"id": asked["id"], "error": str(error)}
    with speaking:
        print(json.dumps(said), flush=True)


with ThreadPoolExecutor(4) as clients:
    for line in sys.stdin:
        clients.submit(take, json.loads(line))
database.close()
