// A service that reads simulated devices: sources applied by its site file, and what they stored.
import assert from "node:assert/strict";
import type { SourceTools } from "../../src/engine/devices/driver.ts";
import type { Connect } from "../../src/base/effects_line.ts";
import type { Settings } from "../../src/model/setting.ts";
import type { SiteInput } from "../../src/model/site/file.ts";
import { turns, until } from "./until.ts";
import { type TestService, testService } from "./service.ts";
import { plain } from "./site.ts";

export type SourceInput = NonNullable<SiteInput["sources"]>[number];

/** What a driver is given that stores what it reads, and has no use for the past or for secrets. */
export function sourceTools(
  own: Pick<SourceTools, "effects" | "state" | "store">,
): SourceTools {
  const unused = () => Promise.reject(new Error("nobody has a use for it"));
  return {
    ...own,
    vet: () => Promise.resolve([]),
    ...{ emit: own.store, newest: unused, lastValues: unused, secret: unused, certificates: "" },
    alarms: no_alarms,
  };
}

/** Of a source that raises none. */
export const no_alarms: SourceTools["alarms"] = {
  site: "s",
  standing: () => Promise.resolve([]),
  store: () => Promise.reject(new Error("nobody has a use for it")),
};

/** Some inverters. */
export const inverters = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `I${i + 1}`, type: "inverter" as const }));

/** A source of inverters behind one address, each a unit. */
export function modbusSource(
  count: number,
  more: Partial<Extract<SourceInput, { kind: "modbus" }>> = {},
): SourceInput {
  return {
    key: "field",
    kind: "modbus",
    host: "plc",
    every_s: 1,
    timeout_ms: 1000,
    maps: [{
      key: "m",
      points: [
        { tag: "{device}.w", sunspec: "103.W" },
        { tag: "{device}.wh", sunspec: "103.WH", poll: "slow" },
        { tag: "{device}.st", sunspec: "103.St" },
      ],
    }],
    units: inverters(count).map(({ key }, i) => ({ unit: i + 1, map: "m", device: key })),
    ...more,
  };
}

/** A service whose loop of sources runs. */
export async function readingService(
  connect: Connect,
  sources: readonly SourceInput[],
  settings: Partial<Settings> = {},
) {
  const service = await testService({ at: "2026-06-01T12:00:00Z", connect, settings });
  const { services, clock } = service;
  const apply = async (sources: readonly SourceInput[]) => {
    const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
    const file = { ...rest, devices: inverters(60), sources };
    const answer = await service.fetch("/admin/v1/sites/s", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(file),
    });
    const body = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(body));
    return body;
  };
  await apply(sources);
  const stop = new AbortController();
  const looping = services.sources.loop.run(stop.signal);
  return {
    ...service,
    apply,
    /** Moves the clock on, as often, and lets everything have its turns in between. */
    async pass(by_ms: number, times = 1): Promise<void> {
      for (let i = 0; i < times; i++) {
        clock.advance(by_ms);
        await settled(service);
      }
    },
    /** Waits until something is so, while the clock goes on by tenths of a second. */
    async passUntil(is_so: () => boolean | Promise<boolean>, what: string): Promise<void> {
      for (let i = 0; i < 3000; i++) {
        if (await is_so()) return;
        clock.advance(100);
        await settled(service);
      }
      throw new Error(`${what} never came`);
    },
    /** The newest value of a tag. */
    latest(tag: string) {
      const found = services.catalog.findTag(1, "signal", tag);
      return found && services.ingest.latest.of(found.tag_no);
    },
    async sources() {
      const answer = await service.fetch("/platform/v1/sources?project_id=p");
      assert.equal(answer.status, 200);
      return await answer.json();
    },
    async close() {
      stop.abort();
      await looping;
      await service.close();
    },
  };
}

/** Ingest has nothing left to do, and everything had some turns. */
async function settled({ services }: TestService): Promise<void> {
  await until(async () => {
    await turns(20);
    return services.ingest.queued_rows === 0;
  });
}
