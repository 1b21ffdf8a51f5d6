// The screens name places of the reference: each is there.
import { equal } from "node:assert/strict";
import { testService } from "../../help/service.ts";

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

Deno.test("what the screens link to in the reference is there", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const missing: string[] = [];
  for (const address of await linked()) {
    const [path, id] = address.split("#");
    const page = await service.fetch(path);
    const text = await page.text();
    if (page.status !== 200 || id && !text.includes(`id="${id}"`)) missing.push(address);
  }
  equal(missing.join(), "");
  await service.close();
});
