// The demo's plant after two days and a morning. It is made once by a run of the tests, in a file;
// each test that asks for it has a service on a copy.
import { join } from "node:path";
import { tmpdir } from "node:os";
import { Demo } from "../../src/engine/demo/demo.ts";
import type { Project } from "../../src/model/plant/plant.ts";
import { type TestService, testService } from "./service.ts";

/** When its history begins, the plant's local midnight, and when the test is, where it ends. */
const begin_ms = Date.parse("2026-06-01T06:00:00Z");
export const demo_now_ms = begin_ms + (2 * 24 + 11.6) * 3_600_000;
const at = new Date(demo_now_ms).toISOString();

/** A service of its own on the demo's plant; `close` leaves nothing of it. */
export async function openDemoPlant(): Promise<{ service: TestService; project: Project }> {
  const data_dir = await Deno.makeTempDir();
  const path = join(data_dir, "demo.duckdb");
  await Deno.copyFile(await madeOnce(), path);
  // Another seed than its maker's: what both draw must differ.
  const service = await testService({ at, path, seed: 2, settings: { data_dir } });
  const [project] = service.services.catalog.projects;
  return {
    project,
    service: {
      ...service,
      async close() {
        await service.close();
        await Deno.remove(data_dir, { recursive: true });
      },
    },
  };
}

const folder_head = "wattkeeper-demo-plant-";

/** The file of the plant: whoever of this process asks first makes it, others wait. */
async function madeOnce(): Promise<string> {
  const folder = join(tmpdir(), `${folder_head}${Deno.pid}`);
  await Deno.mkdir(folder, { recursive: true });
  using turn = await Deno.open(join(folder, "lock"), { write: true, create: true });
  await turn.lock(true);
  const path = join(folder, "demo.duckdb");
  if (!await exists(path)) {
    await removeLeft();
    await make(path);
  }
  return path;
}

async function make(path: string): Promise<void> {
  const service = await testService({ at, path: `${path}.part` });
  const demo = await Demo.open(service.services, { seed: 1, from_us: begin_ms * 1000 });
  await demo.fill(() => {});
  await service.settle();
  await service.services.database.checkpoint();
  await service.close();
  await Deno.rename(`${path}.part`, path);
}

/** No test is the last of its process: what processes that ended have left is removed by others. */
async function removeLeft(): Promise<void> {
  if (!await exists("/proc/self")) return;
  for await (const { name } of Deno.readDir(tmpdir())) {
    if (!name.startsWith(folder_head)) continue;
    if (await exists(`/proc/${name.slice(folder_head.length)}`)) continue;
    await Deno.remove(join(tmpdir(), name), { recursive: true }).catch(() => {});
  }
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);
