// The demo's field read by the product's own clients: each value is the plant's.
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Connect } from "../../../src/base/effects_line.ts";
import { Field, fieldSources } from "../../../src/engine/demo/field.ts";
import { storyPlace } from "../../../src/engine/demo/place.ts";
import { DemoPlant } from "../../../src/engine/demo/plant.ts";
import { demo_points } from "../../../src/engine/demo/point.ts";
import { demoSite } from "../../../src/engine/demo/site.ts";
import { newStory } from "../../../src/engine/demo/story.ts";
import { until } from "../../help/until.ts";
import { testService } from "../../help/service.ts";

const at = "2026-06-01T12:00:00Z";
const at_us = Date.parse(at) * 1000;

/** Where the field speaks what. */
const ports = { modbus: 502, mqtt: 1883, opcua: 4840 };

/** Connections to the field, in memory. */
function connectTo(field: Field): Connect {
  return ({ port }) => {
    const out: Uint8Array[] = [];
    let came = Promise.withResolvers<void>();
    let is_open = true;
    const put = (bytes: Uint8Array) => (out.push(bytes), came.resolve());
    const answer = field.answerer();
    const hear = port === ports.mqtt ? field.hear(put) : (bytes: Uint8Array) => put(answer(bytes));
    return Promise.resolve({
      send: (bytes) => Promise.resolve(hear(bytes)),
      async receive() {
        while (out.length === 0 && is_open) {
          await came.promise;
          came = Promise.withResolvers();
        }
        return out.shift();
      },
      close: () => (is_open = false, came.resolve()),
    });
  };
}

Deno.test("every tag of the demo is read from its device, as the plant has it", async () => {
  const story = newStory({ seed: 1, days: 1 }, at_us);
  const plant = new DemoPlant(story);
  while (plant.at_s + 60 <= at_us / 1e6) plant.advance(60);
  const field = new Field(story, at_us);
  const service = await testService({ at, connect: connectTo(field) });
  const { services } = service;
  // OPC UA has sockets of its own, and is read by the test of the demo itself.
  const sources = fieldSources(ports).filter(({ kind }) => kind !== "opcua");
  const variables = field.variables();
  const site = { ...demoSite(storyPlace(story)), sources };
  const answer = await service.fetch(`/admin/v1/sites/${storyPlace(story).key}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site),
  });
  equal(answer.status, 200, await answer.text());
  const stop = new AbortController();
  const looping = services.sources.loop.run(stop.signal);
  const [{ project_no }] = services.catalog.projects;
  const valueOf = (name: string) => {
    const tag = services.catalog.findTag(project_no, "signal", name);
    return variables.get(name) ?? (tag && services.ingest.latest.of(tag.tag_no)?.value);
  };
  // One clock step, for what was read in a moment to be stored.
  await until(() => {
    service.clock.advance(1);
    field.goOn(at_us);
    return demo_points.every(({ tag }) => valueOf(tag) !== undefined);
  });
  for (const { tag, read, words } of demo_points) {
    const [wanted, value] = [read(plant), valueOf(tag)];
    if (words) deepEqual(value, words[wanted], tag);
    // Registers of SunSpec hold hundreds of watts, and tenths of a degree.
    else ok(Math.abs(Number(value) - wanted) <= 0.051, `${tag}: ${value}, not ${wanted}`);
  }
  const states = await (await service.fetch(
    `/platform/v1/sources?project_id=${services.catalog.projects[0].id}`,
  )).json();
  for (const { state } of states) {
    deepEqual([state.connected, state.notes, state.last_error], [true, [], null]);
  }
  stop.abort();
  await looping;
  // A client that says goodbye to its broker waits a moment.
  let is_closed = false;
  const closing = service.close().then(() => is_closed = true);
  await until(() => is_closed, { meanwhile: () => service.clock.advance(1000) });
  await closing;
});
