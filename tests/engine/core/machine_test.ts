// What the machine tells of a process: its memory among nested groups, on trees of both
// generations, its files, how long processors worked for it.
import { deepEqual, equal, ok } from "node:assert/strict";
import { restrictions } from "../../../package/compile.ts";
import { memoryMb, openFiles, processorMs } from "../../../src/engine/core/machine.ts";

const mb = 1024 * 1024;

/** The memory in MiB that is found in a tree of files. */
async function found(files: Readonly<Record<string, string | number>>): Promise<number> {
  const root = await Deno.makeTempDir();
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${root}/${path.replace(/[^/]*$/, "")}`, { recursive: true });
    await Deno.writeTextFile(`${root}/${path}`, `${text}\n`);
  }
  return await memoryMb(root).finally(() => Deno.remove(root, { recursive: true }));
}

const whole_machine = Math.floor(Deno.systemMemoryInfo().total / mb);

Deno.test("the least limit from the process's own group up to the root holds", async () => {
  const group = "sys/fs/cgroup";
  const proc = { "proc/self/cgroup": "0::/plant.slice/wattkeeper.service" };
  const max = "memory.max";
  const service = `${group}/plant.slice/wattkeeper.service`;
  equal(await found({ ...proc, [`${service}/${max}`]: 300 * mb }), 300);
  const slice = { [`${group}/plant.slice/${max}`]: 200 * mb };
  equal(await found({ ...proc, ...slice, [`${service}/${max}`]: "max" }), 200);
  equal(await found({ ...proc, ...slice, [`${service}/memory.high`]: 150 * mb }), 150);
  equal(await found({ ...proc, [`${group}/${max}`]: 100 * mb }), 100);
  equal(await found({ ...proc, [`${group}/other.slice/${max}`]: 90 * mb }), whole_machine);
});

Deno.test("so it does in groups of the first generation", async () => {
  const proc = { "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/outer/inner\n0::/" };
  const at = (path: string) => `sys/fs/cgroup/memory/${path}memory.limit_in_bytes`;
  equal(await found({ ...proc, [at("outer/inner/")]: 80 * mb, [at("outer/")]: 70 * mb }), 70);
  equal(await found({ ...proc, [at("")]: 60 * mb }), 60);
  equal(await found({ "proc/self/cgroup": "2:cpu,memory:/one", [at("one/")]: 50 * mb }), 50);
});

Deno.test("without groups, all of the machine is there", async () => {
  equal(await found({}), whole_machine);
});

Deno.test("with the rights of the executable, the same is found", async () => {
  const folder = await Deno.makeTempDir();
  const module = new URL("../../../src/engine/core/machine.ts", import.meta.url);
  const code = `import { memoryMb, openFiles, processorMs } from "${module}";
    const may = await Deno.readTextFile("/proc/self/limits").then(() => true, () => false);
    const worked_ms = await processorMs(Deno.pid);
    const [memory_mb, files] = [await memoryMb(), await openFiles()];
    console.log(JSON.stringify({ may, memory_mb, files, worked_ms }));`;
  await Deno.writeTextFile(`${folder}/look.ts`, code);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-config", ...restrictions, `${folder}/look.ts`],
    stderr: "inherit",
  }).output();
  const { may, memory_mb, files, worked_ms } = JSON.parse(new TextDecoder().decode(stdout));
  deepEqual([may, memory_mb], [false, await memoryMb()]);
  equal(files.allowed, (await openFiles())?.allowed);
  ok(files.used > 3, `${files.used} files are open`);
  ok(worked_ms > 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("how long processors worked for a process is told, whatever its name is", async () => {
  const root = await Deno.makeTempDir();
  await Deno.mkdir(`${root}/proc/7`, { recursive: true });
  const text = "7 (a) R 1 2) S 1 7 7 0 -1 4194560 81 82 83 84 250 31 91 92 20 0 9 0 12345 1 2 3";
  await Deno.writeTextFile(`${root}/proc/7/stat`, text);
  deepEqual([await processorMs(7, root), await processorMs(8, root)], [2810, undefined]);
  await Deno.remove(root, { recursive: true });
});
