// A patient connection, which sleeps while other threads work for it, answers as any other.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Connection } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";
import { aTurn } from "../help/until.ts";

async function withBoth(
  work: (
    connections: { readonly patient: Connection; readonly plain: Connection },
  ) => Promise<void>,
): Promise<void> {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects, threads: 2 });
  const patient = database.session({ is_patient: true });
  const plain = database.session();
  try {
    await database.write(({ connection }) =>
      connection.script("CREATE TABLE many AS SELECT range AS n FROM range(1000000)")
    );
    await work({ patient, plain });
  } finally {
    patient.close();
    plain.close();
    await database.abandon();
  }
}

const questions = [
  "SELECT n % 7 AS part, count(*)::INTEGER AS n, sum(n)::BIGINT AS sum FROM many GROUP BY ALL " +
  "ORDER BY part",
  "SELECT n::INTEGER AS n FROM many ORDER BY hash(n) LIMIT 3",
  "SELECT count(*)::INTEGER AS n FROM many AS a JOIN many AS b USING (n)",
  "SELECT 1 AS n WHERE false",
];

Deno.test("a patient connection gives the rows of any other, of several threads' work too", () =>
  withBoth(async ({ patient, plain }) => {
    for (const sql of questions) {
      deepEqual(await queryRows(patient, sql), await queryRows(plain, sql));
    }
    const text = "a text that is bound";
    deepEqual(await queryRows(patient, "SELECT $text AS text", { text }), [{ text }]);
  }));

const mistakes = [
  "SELECT nothing FROM many",
  "SELECT FROM",
  "SELECT if(n = 999999, error('it broke'), n)::INTEGER AS n FROM many",
];

for (const sql of mistakes) {
  Deno.test(`a patient connection says what is wrong with ${sql}, and goes on`, () =>
    withBoth(async ({ patient, plain }) => {
      const messageOf = (connection: Connection) =>
        queryRows(connection, sql).then(() => "", (error) => (error as Error).message);
      ok(await messageOf(plain));
      equal(await messageOf(patient), await messageOf(plain));
      deepEqual(await queryRows(patient, "SELECT 1 AS n"), [{ n: 1 }]);
    }));
}

Deno.test("a patient connection can be interrupted, and goes on", () =>
  withBoth(async ({ patient }) => {
    const endless = "SELECT count(*)::INTEGER AS n FROM many AS a, many AS b WHERE a.n + b.n = -1";
    let ended = false;
    const asked = rejects(queryRows(patient, endless), /interrupt/i).then(() => ended = true);
    // An interruption before it runs is forgotten.
    for (; !ended; await aTurn()) patient.interrupt();
    await asked;
    deepEqual(await queryRows(patient, "SELECT 1 AS n"), [{ n: 1 }]);
  }));
