// What keeps a former holder from a shard's directory: its process is killed, or a command says so.
import { equal, match, rejects } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { fence } from "../../../src/engine/fleet/shard_process.ts";
import { Folder, keepShardOf } from "../../../src/store/folder.ts";

const { sleep } = systemEffects();
const folder_module = new URL("../../../src/store/folder.ts", import.meta.url).href;

/** Another process that holds a directory. */
async function holderOf(path: string): Promise<Deno.ChildProcess> {
  const script = `import { Folder } from "${folder_module}";
    await Folder.open("${path}");
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", "--node-modules-dir=manual", script],
    cwd: new URL("../../..", import.meta.url).pathname,
    ...{ stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  await child.stdout.getReader().read();
  return child;
}

Deno.test("a process that holds a directory is killed, also where it was stopped", async () => {
  const path = await Deno.makeTempDir();
  const holder = await holderOf(path);
  await rejects(Folder.open(path), /in use by process/);
  const own = { no: 1, fleet: "f", path };
  await keepShardOf(path, own);
  await rejects(
    fence("process", { ...own, fleet: "g", former: "a" }, { sleep }),
    /of shard-001 of fleet f, not of shard-001 of fleet g/,
  );
  await rejects(Folder.open(path), /in use by process/, "that of another fleet lives on");
  Deno.kill(holder.pid, "SIGSTOP");
  await fence("process", { ...own, former: "a" }, { sleep });
  equal((await holder.status).signal, "SIGKILL");
  (await Folder.open(path)).close();
  await fence("process", { ...own, former: null }, { sleep });
  await Deno.remove(path, { recursive: true });
});

Deno.test("a command that takes too long is ended with all that it started", async () => {
  const path = await Deno.makeTempDir();
  const begun = `${path}/pid`;
  // What it starts ignores a friendly end, and outlives its shell.
  const command = `sh -c 'trap "" TERM; sleep 600 & echo $! > "${begun}"; wait' fence`;
  let waits = 0;
  const hurried = {
    // Its time is over as soon as it has begun; what is waited for after that is its end.
    sleep: async (wait_ms: number) => {
      if (waits++ > 0) return await sleep(wait_ms);
      while (!(await Deno.readTextFile(begun).catch(() => "")).endsWith("\n")) await sleep(5);
    },
  };
  const fenced = { no: 7, fleet: "f", path, former: "a" };
  await rejects(fence(command, fenced, hurried), /has not ended after 30 s/);
  const pid = Number(await Deno.readTextFile(begun));
  const status = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "gone (sleep) Z");
  // Whoever takes in orphans may not have looked yet.
  match(status, /\) Z/);
  await Deno.remove(path, { recursive: true });
});

Deno.test("a command is told what to fence, and its refusal keeps the directory shut", async () => {
  const path = await Deno.makeTempDir({ suffix: " it's" });
  const fenced = { no: 7, fleet: "f", path, former: "node-a" };
  const written = `${path}/told`;
  const command = `sh -c 'printf "%s,%s,%s" "$@" > "$2/told"' fence`;
  await fence(command, fenced, { sleep });
  equal(await Deno.readTextFile(written), `shard-007,${path},node-a`);
  const said = /^Fault: the command of fleet_fence ended with 1, for 'shard-007' .+ 'node-a'$/;
  await rejects(fence("false --key secret", fenced, { sleep }), (error) => said.test(`${error}`));
  await fence("false", { ...fenced, former: null }, { sleep });
  await fence("none", fenced, { sleep });
  await Deno.remove(path, { recursive: true });
});
