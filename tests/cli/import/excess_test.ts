// An import names powers that no device of their rating can have, and takes them.
import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { type TestService, testService } from "../../help/service.ts";
import { site, withFolder } from "./folder.ts";

const power = { device: "I", measure: "active_power" } as const;
/** Two inverters' powers: one is said to be in kW, of the other no rating is known. */
const rated_site = {
  ...site,
  devices: [{ key: "I", type: "inverter" }, { key: "J", type: "inverter" }],
  sensors: [
    { ...power, tag: "P1", scale: 1000, capacity: 100e3 },
    { ...power, tag: "P2", device: "J", scale: 1000 },
  ],
};
const table = "time,P1,P2\n2026-05-01 10:00,98100,98100\n2026-05-01 10:01,150,5\n" +
  "2026-05-01 10:02,-201,5\n2026-05-01 10:03,200,5\n";
const warning =
  "  2 × P1 is over twice its rated power of 100000 W, up to 98100000 W: W in place of " +
  "kW? Divided by 1000 it fits. It is taken as it is\n";

Deno.test("import: powers beyond their rating are named, dry and in the report, and taken", () =>
  withFolder(async ({ run, write, printed }) => {
    const said = await write("rated.json", JSON.stringify(rated_site));
    equal(await run("site", "apply", said), 0, printed.err);
    const file = await write("a.csv", table);
    for (const more of [["--dry-run"], []]) {
      printed.out = "";
      equal(await run("import", file, "--project", "plant", ...more), 0, printed.err);
      deepEqual(printed.out.match(/ {2}\d+ × .*\n/g), [warning], printed.out);
    }
    printed.out = "";
    const sql = "SELECT max(value) AS most, count(*) AS n FROM sample";
    equal(await run("query", sql, "--json"), 0, printed.err);
    deepEqual(JSON.parse(printed.out), { most: 98100, n: 8 });
    printed.out = "";
    equal(await run("import", "--dry-run", file, "--timezone", "UTC"), 0, printed.err);
    doesNotMatch(printed.out, /rated power/);
  }));

/** Imports a file into a service, which may be one of before, without ratings. */
async function importThere(
  service: TestService,
  { is_old, dry }: { readonly is_old?: true; readonly dry?: true },
) {
  const { token } = await service.services.access.create({
    ...{ name: "gateway", organization_id: null, project_ids: null, expires_at: null },
    scopes: ["ingest"],
  });
  const { effects, printed } = fakeEffects();
  const request = (it: Request) =>
    is_old && it.url.includes("/ratings")
      ? service.fetch("/no/such/path", { headers: it.headers })
      : service.fetch(it.url, it);
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, table);
  const args = ["import", path, "--project", "plant", ...dry ? ["--dry-run"] : []];
  const code = await runCli(
    [...args, "--url", "http://localhost/", "--token", token],
    { effects: { ...effects, request }, version, openService },
  );
  await Deno.remove(path);
  equal(code, 0, printed.err);
  return printed;
}

Deno.test("import: a running service tells ratings; an older one takes all without", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    const put = await service.fetch("/admin/v1/sites/plant", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rated_site),
    });
    equal(put.status, 200, await put.text());
    for (const dry of [true, undefined] as const) {
      const { out } = await importThere(service, { dry });
      deepEqual(out.match(/ {2}\d+ × .*\n/g), [warning], out);
    }
    const { out, err } = await importThere(service, { is_old: true });
    match(out, /0 accepted, 8 duplicates, 0 rejected/);
    doesNotMatch(out, /rated power/);
    match(err, /Which powers are beyond their rating can't be told: the service answered 404/);
  } finally {
    await service.close();
  }
});
