// How many stored values a body corrected, told to each of those that share a commit.
import assert from "node:assert/strict";
import { openIngest, start_us } from "./ingest_help.ts";

Deno.test("concurrent bodies are each told how many stored values they corrected", async () => {
  const { add, database, stored, close } = await openIngest();
  const bodyOf = (body: number, value: number) =>
    Array.from({ length: 10 }, (_, i) => (
      { tag: `t${body}`, ts_us: start_us + i * 1000, value: i < body ? value : 0 }
    ));
  for (let body = 0; body <= 10; body++) await add(bodyOf(body, 0));
  const stamps = new Set<number>();
  const answers = await Promise.all(Array.from({ length: 11 }, async (_, body) => {
    const answer = await add([...bodyOf(body, 5), { tag: `t${body}`, ts_us: 0, value: 1 }]);
    stamps.add(database.committed_us);
    return answer;
  }));
  assert.ok(stamps.size <= 3, `${stamps.size} commits`);
  for (const [body, { accepted, corrected, duplicates }] of answers.entries()) {
    assert.deepEqual([accepted, corrected, duplicates], [body + 1, body, 10 - body]);
  }
  assert.equal((await stored()).length, 121);
  await close();
});
