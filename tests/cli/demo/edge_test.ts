// `demo --edge --once`: devices, a gateway and a centre in one program; a line that is pulled.
import { equal, match } from "node:assert/strict";
import { runProgram } from "../../help/process.ts";

Deno.test("a gateway reads devices, and what a pulled line held back is there once", async () => {
  const words = ["demo", "--edge", "--once", "--days", "1", "--memory-mb", "256", "--threads", "1"];
  const { code, out, err } = await runProgram(words);
  equal(code, 0, out + err);
  match(out, /^ok {5}the gateway read (\d+) samples, the centre has \1; \d+ were missing/);
});
