// What a check of a file tells of powers that no device of their rating can have.
import { deepEqual, equal } from "node:assert/strict";
import { withDoor } from "./import_help.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "rated", name: "R", timezone: "UTC" },
  site: { key: "rated", name: "R", latitude: 38, longitude: -104 },
  devices: ["I", "J", "M"].map((key) => ({ key, type: key === "M" ? "meter" : "inverter" })),
  sensors: [
    { tag: "P1", device: "I", measure: "active_power", scale: 1000, capacity: 100e3 },
    { tag: "P2", device: "J", measure: "active_power", scale: 2, offset: 100, capacity: 1000 },
    { tag: "P3", device: "M", measure: "active_power", scale: 1000, capacity: 300e3 },
    { tag: "E1", device: "I", measure: "energy", scale: 1000, accumulation: "counter" },
  ],
};

/** Rows of each tag: values, integers, and values of bad quality. */
const rows = [
  ...[61_000, 62_000.5, 5, 200, 200.001].map((value) => ({ tag: "P1", value })),
  ...[990, 951, 950, -1051, -1050].map((value) => ({ tag: "P2", value })),
  ...[-650, 650].map((value_int) => ({ tag: "P3", value_int })),
  { tag: "P3", value_int: 9000, quality: "bad", status_code: 2147483648 },
  { tag: "E1", value: 9e9 },
  { tag: "other", value: 9e9 },
  { tag: "P1", value: 1e307 },
];

Deno.test("a check tells which powers are beyond their rating, and the import takes them", () =>
  withDoor(async (door) => {
    const applied = await door.fetch("/admin/v1/sites/rated", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(site),
    });
    equal(applied.status, 200, await applied.text());
    const project = door.services.catalog.projects.find(({ key }) => key === "rated")!.id;
    const call = async (method: string, path: string, body?: string) => {
      const join = path.includes("?") ? "&" : "?";
      const at = `/ingest/v1/imports${path}${join}project_id=${project}`;
      const headers = { "content-type": "application/json" };
      const answer = await door.fetch(at, { method, ...body && { body, headers } });
      await door.services.imports.settle();
      return await answer.json();
    };
    const lines = rows.map((row, i) =>
      JSON.stringify({ ...row, ts: new Date(Date.UTC(2026, 4, 1, 10, i)).toISOString() })
    );
    const { import_id } = await call("POST", "", lines.join("\n"));
    await call("POST", `/${import_id}/check`);
    const { state, check } = await call("GET", `/${import_id}`);
    equal(state, "checked");
    const none = { divisor: null, read_as: null, fits_as: null };
    deepEqual(check.excess, [
      {
        ...{ tag: "P1", count: 3, greatest_w: 62_000_500, rated_w: 100e3 },
        ...{ divisor: 1000, read_as: "kW", fits_as: "W" },
      },
      { tag: "P2", count: 3, greatest_w: 2080, rated_w: 1000, ...none },
      { tag: "P3", count: 2, greatest_w: -650e3, rated_w: 300e3, ...none },
    ]);
    await call("POST", `/${import_id}/import`);
    const done = await call("GET", `/${import_id}`);
    deepEqual([done.state, done.report.accepted], ["imported", rows.length - 1]);
    deepEqual(done.check.excess, check.excess);
  }));
