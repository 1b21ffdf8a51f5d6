// Samples of old days in files: every answer is as if they were here, and no gap is silent.
import { deepEqual, equal } from "node:assert/strict";
import type { TestService } from "../../help/service.ts";
import { apply, ask, day_ms, days, filled, first_ms, projectOf, send, site } from "./world_help.ts";

Deno.test("answers over files and database are those of a database alone", async () => {
  const data_dir = await Deno.makeTempDir();
  const tiered = await filled({ data_dir, tier_after: "35d" });
  const twin = await filled({});
  await tiered.services.tiers.settle();
  const inFiles = async () => (await tiered.services.tiers.state()).days;
  equal(await inFiles(), days - 36);
  await compare(tiered, twin);

  const at = (ms: number) => new Date(first_ms + 5 * day_ms + ms).toISOString();
  const late = [
    { tag: "p", ts: at(0), value: 0 },
    { tag: "p", ts: at(60_000), value: 1 },
    { tag: "e", ts: at(60_000), value: 2 },
  ];
  for (const service of [tiered, twin]) {
    const { accepted, duplicates } = await send(service, late);
    deepEqual({ accepted, duplicates }, { accepted: 2, duplicates: 1 });
    await service.services.roll.settle();
  }
  equal(await inFiles(), days - 37);
  await compare(tiered, twin);

  const mapped = { ...site, sensors: site.sensors.map((it) => ({ ...it, scale: 2 })) };
  for (const service of [tiered, twin]) {
    await apply(service, mapped);
    await service.services.roll.settle();
  }
  await compare(tiered, twin);
  for (const service of [tiered, twin]) await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

/** Both give the same samples, statistics and figures. */
async function compare(tiered: TestService, twin: TestService): Promise<void> {
  const range = { from: "2026-03-04T00:00:00Z", to: "2026-03-30T00:00:00Z" };
  const searches: readonly Record<string, string>[] = [
    { ...range },
    { ...range, resolution: "raw", tag: "p", offset: "400" },
    { received_since: "2026-03-01T00:00:00Z" },
    { at: "2026-03-08T11:10:00Z" },
    { from: "2026-03-19T00:00:00Z", to: "2026-03-24T00:00:00Z", every: "7h" },
  ];
  for (const search of searches) {
    const [one, other] = [await signals(tiered, search), await signals(twin, search)];
    equal(one, other);
  }
  const sums: readonly Record<string, string>[] = [{}, { include: "stats" }, {
    component_measure: "energy",
  }];
  for (const search of sums) {
    deepEqual(await ask(tiered, "OneDay", search), await ask(twin, "OneDay", search));
  }
}

async function signals(service: TestService, search: Record<string, string>): Promise<string> {
  const query = new URLSearchParams({ ...projectOf(service), format: "csv", ...search });
  const answer = await service.fetch(`/platform/v1/signals?${query}`);
  equal(answer.status, 200);
  // Moving days are writes too, so that later ones have other stamps.
  return (await answer.text()).replaceAll(/2026-04-26T00:00:00\.\d+Z/g, "stamp");
}
