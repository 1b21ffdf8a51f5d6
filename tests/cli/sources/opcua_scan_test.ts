// `source scan opc.tcp://…`: what is proposed of an OPC UA server's variables.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { serverProposal } from "../../../src/engine/opcua/opcua_scan.ts";
import { checkSiteFile } from "../../../src/model/site/check.ts";
import { freePort, hasServer, startServer } from "../../help/opcua.ts";
import { runProgram } from "../../help/process.ts";
import { plain } from "../../help/site.ts";

const is_skipped = !await hasServer();

Deno.test("units and names tell what is measured, and of what", () => {
  const variable = (names: string, unit?: string) => (
    { node: `ns=2;s=${names}`, names: names.split("/"), ...(unit ? { unit } : {}) }
  );
  const { devices, sensors, points } = serverProposal([
    variable("Plant/INV 1/P", "kW"),
    variable("Plant/INV 1/P setpoint", "kW"),
    variable("Plant/INV 1/Total", "MWh"),
    variable("Plant/INV 1/DC voltage", "V"),
    variable("Plant/Weather/Ambient", "°C"),
    variable("Plant/MTR-1.Import", "kWh"),
    variable("Plant/Hall/Lamp"),
    { ...variable("Plant/INV 1/Blob"), flaw: "can't be kept" },
  ]);
  assert.deepEqual(devices, [
    { key: "INV 1", type: "inverter" },
    { key: "Weather", type: "met" },
    { key: "MTR-1", type: "meter" },
  ]);
  assert.deepEqual(
    sensors.map(({ tag, measure, scale, accumulation }) => [tag, measure, scale, accumulation]),
    [
      ["INV 1.P", "active_power", 1e3, undefined],
      ["INV 1.Total", "energy", 1e6, "counter"],
      ["INV 1.DC voltage", "dc_voltage", undefined, undefined],
      ["Weather.Ambient", "temp", undefined, undefined],
      ["MTR-1.Import", "active_energy_received", 1e3, "counter"],
    ],
  );
  assert.deepEqual(points.slice(-2).map(({ tag, device }) => [tag, device]), [
    ["{device}.Import", "MTR-1"],
    ["Hall.Lamp", undefined],
  ]);
  assert.equal(points.length, 7);
});

Deno.test({
  name: "what is printed of a server is a part of a site file",
  ignore: is_skipped,
  async fn() {
    const port = freePort();
    const server = await startServer(port, ["--counters", "3"]);
    try {
      const endpoint = `opc.tcp://127.0.0.1:${port}`;
      const { code, out, err } = await runProgram(["source", "scan", endpoint]);
      assert.equal(code, 0, err);
      assert.match(err, /Types\.ByteString .* left out/);
      const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
      const file = checkSiteFile({ ...rest, ...parse(out) });
      const [source] = file.sources;
      assert.ok(source.kind === "opcua");
      assert.equal(source.endpoint, endpoint);
      assert.ok(source.points.length > 15);
      assert.deepEqual(file.sensors.map(({ tag, scale }) => [tag, scale]), [
        ...[1, 2, 3].map((i) => [`INV${i}.ActivePower`, 1000]),
      ]);
      const refused = await runProgram(["source", "scan", endpoint, "--security", "sign"]);
      assert.equal(refused.code !== 0, true);
      assert.match(refused.err, /does not offer security = "sign" .*security = "none"/);
    } finally {
      await server.kill();
    }
  },
});
