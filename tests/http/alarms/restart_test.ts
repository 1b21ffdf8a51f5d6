// Tests that readers of alarms go on over a restart: feed and stream, on a real file.
import { deepEqual, equal, ok } from "node:assert/strict";
import { assemble } from "../../../src/app.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { type Settings, settings_table } from "../../../src/model/setting.ts";
import { Database } from "../../../src/store/database.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

const defaults = Object.entries(settings_table)
  .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]);

/** A life of the service on a file, up to its end without a goodbye. */
async function live(path: string) {
  const { effects } = fakeEffects();
  const database = await Database.open({ path, memory_mb: 256, threads: 1, effects });
  database.vault.use(new Uint8Array(32));
  if ((await database.read((it) => queryRows(it, "SELECT id FROM project"))).length === 0) {
    await database.write(async ({ connection }) => {
      await connection.script("INSERT INTO project VALUES (1, 'p', 'o', 'p', 'P', NULL, 'UTC')");
      await connection.script("INSERT INTO site VALUES (1, 's', 1, 's', 'S', 40, -3)");
    });
  }
  const settings = Object.fromEntries(defaults) as Settings;
  const world = { effects, settings, log: silent_log };
  const { services, app } = await assemble(database, world);
  const { token } = await services.access.create({
    name: "reader",
    organization_id: null,
    project_ids: null,
    scopes: ["read"],
    expires_at: null,
  });
  const fetch = (path: string, headers: Record<string, string> = {}) =>
    app.fetch(
      new Request(new URL(path, "http://localhost"), {
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    );
  return {
    alarms: services.alarms,
    fetch,
    raise: (occurrence_id: string) =>
      services.alarms.write((changes) =>
        Promise.resolve(changes.raise(draftOf({ occurrence_id }), [eventOf("raised")]))
      ),
    async stop() {
      app.refuse();
      await services.roll.close();
      await services.availability.close();
      await database.abandon();
    },
  };
}

Deno.test("a cursor and a watermark of one life hold in the next", async () => {
  const path = `${await Deno.makeTempDir()}/alarms.db`;
  const first = await live(path);
  await first.raise("a");
  await first.raise("b");
  const stream = await first.fetch(
    "/platform/v1/alarms/stream?project_id=p&updated_since=2026-01-01T00:00:00Z",
  );
  const seen = await read(stream, "b");
  const page = await first.fetch("/platform/v1/alarms/events?project_id=p&limit=2");
  const next = /^<([^>]+)>/.exec(page.headers.get("link")!)![1];
  equal((await page.json()).length, 2);
  await first.raise("c");
  await first.stop();

  const second = await live(path);
  const cursor = seen.at(-1)!.id;
  const resumed = await second.fetch("/platform/v1/alarms/stream?project_id=p", {
    "last-event-id": cursor,
  });
  await second.raise("d");
  deepEqual((await read(resumed, "d")).map(({ data }) => data), ["c", "d"]);
  const rest = await (await second.fetch(next)).json();
  deepEqual(rest.map((it: { occurrence_id: string }) => it.occurrence_id), ["c", "d"]);
  ok(rest[0].synced_at < rest[1].synced_at);
  await second.stop();
});

/** The cursors and occurrences of a stream's events up to the one of an occurrence. */
async function read(response: Response, last: string): Promise<{ id: string; data: string }[]> {
  let text = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes(`"occurrence_id":"${last}"`)) text += (await reader.read()).value;
  await reader.cancel();
  const frames = text.matchAll(/id: (.+)\nevent: .+\ndata: (.+)\n\n/g);
  return Array.from(frames, ([, id, data]) => ({ id, data: JSON.parse(data).occurrence_id }));
}
