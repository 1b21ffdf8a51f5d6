// The copy of a plant's outline: it is withdrawn before anything of it changes.
import { deepEqual, equal } from "node:assert/strict";
import { OutlineKeeper, unpacked } from "../../../src/engine/fleet/outline_keeper.ts";
import {
  changesOutline,
  outline_tables,
  type OutlineWord,
} from "../../../src/model/fleet/outline.ts";
import { readOutline } from "../../../src/store/site/outline.ts";
import { apply, post, site } from "../retention/world_help.ts";
import { type TestService, testService } from "../../help/service.ts";
import { aTurn } from "../../help/until.ts";

/** A catalogue in a test's hand, which has heard these words. */
class Heard {
  readonly words: string[] = [];
  is_away = false;
  onWord: () => Promise<void> = () => Promise.resolve();
  #no = 0;

  readonly keep = async ({ after_no, outline }: OutlineWord) => {
    if (this.is_away) return undefined;
    await this.onWord();
    if (outline === null) this.words.push("withdraw");
    else {
      equal(after_no, this.#no);
      const written = await unpacked(outline);
      this.words.push(`keep ${written.outline.tags.map((it) => it.sensor_tag).toSorted()}`);
    }
    return ++this.#no;
  };

  take(): string[] {
    return this.words.splice(0);
  }
}

async function open() {
  const service = await testService({ at: "2026-06-01T00:00:00Z" });
  await apply(service, site);
  // The first one says which values a tag has.
  equal((await post(service, sample("p"))).status, 200);
  const { database, effects } = service.services;
  // As if the lake had told of its days.
  Object.defineProperty(database.far, "is_sealed", { value: true });
  const heard = new Heard();
  const keeper = new OutlineKeeper({ database, effects, version: "1", keep: heard.keep });
  return { service, heard, keeper };
}

let next_ms = Date.parse("2026-05-31T00:00:00Z");
const sample = (tag: string) => [{ tag, ts: new Date(next_ms++), value: 1 }];
const tagsIn = async ({ services: { database } }: TestService) =>
  (await database.read(readOutline)).tags.map((it) => it.sensor_tag).toSorted().join();

Deno.test("an outline is withdrawn before it changes, and kept anew after", async () => {
  const { service, heard, keeper } = await open();
  await keeper.settle();
  await keeper.settle();
  deepEqual(heard.take(), ["withdraw", "keep e,p,poa"]);
  equal((await post(service, sample("p"))).status, 200);
  deepEqual(heard.take(), [], "a sample of what is known");

  let seen = "";
  heard.onWord = async () => {
    seen = await tagsIn(service);
  };
  equal((await post(service, sample("new"))).status, 200);
  deepEqual([seen, heard.take()], ["e,p,poa", ["withdraw"]], "before the commit");
  equal((await post(service, sample("newer"))).status, 200);
  deepEqual(heard.take(), [], "it is withdrawn already");
  await keeper.settle();
  deepEqual(heard.take(), ["keep e,new,newer,p,poa"]);
  await apply(service, { ...site, site: { ...site.site, name: "Another" } });
  deepEqual(heard.take(), ["withdraw"]);
  await service.close();
});

Deno.test("without the catalogue an outline stays as it is, and samples come in", async () => {
  const { service, heard, keeper } = await open();
  await keeper.settle();
  heard.take();
  heard.is_away = true;
  const refused = await post(service, sample("new"));
  equal(refused.status, 503);
  equal(await tagsIn(service), "e,p,poa");
  equal((await post(service, sample("p"))).status, 200);
  heard.is_away = false;
  // Nobody knows what became of the word that was not answered.
  equal((await post(service, sample("new"))).status, 200);
  deepEqual(heard.take(), ["withdraw"]);
  await service.close();
});

Deno.test("what changes while it is read is not kept", async () => {
  const { service, heard, keeper } = await open();
  const { database } = service.services;
  const read = database.read.bind(database);
  database.read = async (...given) => {
    database.read = read;
    const outline = await read(...given);
    equal((await post(service, sample("new"))).status, 200);
    return outline;
  };
  await keeper.settle();
  deepEqual(heard.take(), []);
  await keeper.settle();
  deepEqual(heard.take(), ["withdraw", "keep e,new,p,poa"]);
  await service.close();
});

Deno.test("an outline is not read while a change of it is committed", async () => {
  const { service, heard, keeper } = await open();
  await keeper.settle();
  heard.take();
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  heard.onWord = () => {
    begun.resolve();
    return gate.promise;
  };
  const posting = post(service, sample("new"));
  await begun.promise;
  heard.onWord = () => Promise.resolve();
  const { database } = service.services;
  const settling = keeper.settle();
  // As long as it takes to read an outline, were it read now.
  await database.read(readOutline);
  await aTurn();
  gate.resolve();
  equal((await posting).status, 200);
  await settling;
  await keeper.settle();
  deepEqual(heard.take(), ["withdraw", "keep e,new,p,poa"]);
  await service.close();
});

Deno.test("which SQL changes an outline", () => {
  for (
    const sql of [
      "UPDATE tag SET unit = 'W'",
      "INSERT INTO tag BY NAME SELECT 1 AS tag_no",
      'DELETE FROM "site" WHERE true',
      "BEGIN; update main.horizon set samples = 1",
    ]
  ) equal(changesOutline(sql), true, sql);
  for (
    const sql of [
      "INSERT INTO site_tag SELECT 1, 2",
      "SELECT tag_no FROM tag",
      "DELETE FROM sample WHERE tag_no IN (FROM tag)",
    ]
  ) equal(changesOutline(sql), false, sql);
});

Deno.test("an outline is all that its tables are", async () => {
  const service = await testService();
  const { database } = service.services;
  const outline = await database.read(readOutline);
  equal(Object.keys(outline).length, outline_tables.length);
  for (const table of outline_tables) {
    await database.aside((connection) => connection.script(`FROM "${table}" LIMIT 0`));
  }
  await service.close();
});
