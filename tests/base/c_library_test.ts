// What the C library tells that the runtime does not.
import { equal, ok } from "node:assert/strict";
import { hasNews, sinceStartMs, startShell } from "../../src/base/c_library.ts";

const uptimeMs = async () => 1000 * Number((await Deno.readTextFile("/proc/uptime")).split(" ")[0]);

Deno.test("the time since the machine started is the kernel's", async () => {
  const before = await uptimeMs();
  const told = sinceStartMs()!;
  const after = await uptimeMs();
  // The kernel's text has two decimals.
  ok(before - 10 <= told && told <= after + 10, `${before} ${told} ${after}`);
});

Deno.test("a shell's code is its command's, or says which signal ended it", async () => {
  equal(await startShell("exit 7").ended, 7);
  equal(await startShell("kill -9 $$").ended, 137);
  equal(await startShell("true").ended, 0);
  const long = startShell("sleep 600");
  equal(long.kill(), true);
  equal(await long.ended, 137);
});

/** A program that tells what its loop has seen when a client has come and it has not yet turned. */
const listener = `
  import { hasNews, waitBeside } from "${import.meta.resolve("../../src/base/c_library.ts")}";
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const taken = listener.accept();
  // What the start left to be seen.
  for (let turn = 0; turn < 100 && hasNews(); turn++) await waitBeside(20);
  const before = hasNews();
  const at = "/dev/tcp/127.0.0.1/" + listener.addr.port;
  new Deno.Command("bash", { args: ["-c", "exec 3<>" + at] }).outputSync();
  const came = hasNews();
  (await taken).close();
  console.log(before, came);
`;

Deno.test("who has come is known before the loop turns, on the main thread alone", async () => {
  equal(hasNews(), undefined);
  const args = ["eval", "--no-check", listener];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  equal(new TextDecoder().decode(stdout), "false true\n");
});
