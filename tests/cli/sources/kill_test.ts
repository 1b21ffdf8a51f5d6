// A real server that reads a device, killed and stopped: it reads on, and stores nothing twice.
import assert from "node:assert/strict";
import { fakeDevices, listenFor } from "../../help/modbus.ts";
import { runProgram, startServer } from "../../help/process.ts";
import { plain } from "../../help/site.ts";

Deno.test("a killed or stopped server reads on, and no reading is twice", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const devices = fakeDevices({});
  let readings = 0;
  let waiting: { readonly at: number; readonly done: () => void } | undefined;
  // Each reading is another number.
  devices.answer = () => {
    readings++;
    if (readings === waiting?.at) waiting.done();
    return [readings >> 16, readings & 0xffff];
  };
  const more = (count: number) =>
    new Promise<void>((done) => waiting = { at: readings + count, done });
  const { port, close } = listenFor(devices);
  const source = {
    key: "field",
    kind: "modbus",
    ...{ host: "127.0.0.1", port, every_s: 0.1 },
    maps: [{ key: "m", points: [{ tag: "r", register: 7, type: "uint32" }] }],
    units: [{ unit: 1, map: "m" }],
  };
  let token: string | undefined;
  for (const [i, signal] of (["SIGKILL", "SIGKILL", "SIGTERM"] as const).entries()) {
    const server = await startServer(data_dir);
    token ??= server.token;
    if (i === 0) {
      const { devices: _devices, blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
      const answer = await fetch(`${server.address}/admin/v1/sites/s`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...rest, sources: [source] }),
      });
      assert.equal(answer.status, 200, await answer.text());
    }
    await more(8);
    await server.end(signal);
  }
  close();
  const sql = "SELECT count(*) AS rows, count(DISTINCT coalesce(value, value_int)) AS readings, " +
    "count(DISTINCT ts) AS instants FROM sample JOIN tag USING (tag_no) WHERE sensor_tag = 'r'";
  const { out, err } = await runProgram(["query", sql, "--json", "--data-dir", data_dir]);
  const [{ rows, readings: distinct, instants }] = out.trim().split("\n").map((it) =>
    JSON.parse(it)
  );
  assert.ok(rows >= 12, `${rows} rows: ${err}`);
  assert.deepEqual([distinct, instants], [rows, rows]);
});
