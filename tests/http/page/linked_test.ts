// The screens name places of the reference, and the guides places of each other: each is there.
import { equal, match, ok } from "node:assert/strict";
import { guide_names, guidePath } from "../../../src/http/page/guide.ts";
import { type TestService, testService } from "../../help/service.ts";

const web = new URL("../../../src/web/", import.meta.url);

/** Each address of the reference that a component links to. */
async function linked(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { name: room, isDirectory } of Deno.readDir(web)) {
    if (!isDirectory || room === "node_modules") continue;
    for await (const { name } of Deno.readDir(new URL(`${room}/`, web))) {
      if (!name.endsWith(".tsx")) continue;
      const text = await Deno.readTextFile(new URL(`${room}/${name}`, web));
      for (const [, address] of text.matchAll(/href="(\/docs[^"]*)"/g)) found.add(address);
    }
  }
  return found;
}

/** Which of some addresses a service does not have. */
async function missingOf(service: TestService, addresses: Iterable<string>): Promise<string> {
  const missing: string[] = [];
  for (const address of addresses) {
    const [path, id] = address.split("#");
    const page = await service.fetch(path);
    const text = await page.text();
    if (page.status !== 200 || id && !text.includes(`id="${id}"`)) missing.push(address);
  }
  return missing.join();
}

Deno.test("what the screens link to in the reference is there", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  equal(await missingOf(service, await linked()), "");
  await service.close();
});

Deno.test("every guide is a page, named at the start, with links that lead on", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const text = async (path: string) => await (await service.fetch(path)).text();
  const start = await text("/docs/start");
  const written = [...guides("docs"), ...guides("docs/guides")];
  // Who develops the program has the files.
  const wanted = written.filter((name) => name !== "development");
  equal(guide_names.toSorted().join(), wanted.toSorted().join());
  const addresses = new Set<string>();
  for (const name of guide_names) {
    ok(start.includes(`href="${guidePath(name)}"`), name);
    const page = await text(guidePath(name));
    match(page, /<h1>[^<]+<\/h1>/);
    for (const [, address] of page.matchAll(/href="([^"]*)"/g)) {
      if (address.startsWith("http")) continue;
      addresses.add(address.startsWith("#") ? `${guidePath(name)}${address}` : address);
    }
  }
  equal(await missingOf(service, addresses), "");
  const index = await text("/docs/index.json");
  ok(index.includes('"/docs/guide/connect#declare-the-plant"'));
  const none = await service.fetch("/docs/guide/conect");
  equal(none.status, 404);
  match(await none.text(), /meant connect\?/);
  await service.close();
});

function guides(folder: string): readonly string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name)
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -".md".length));
}
