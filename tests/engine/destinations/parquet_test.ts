// Samples as Parquet files: in a folder, and in a real S3-compatible store.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { systemPost } from "../../../src/base/effects_post.ts";
import { destination_limits } from "../../../src/model/destinations/limits.ts";
import { hasProgram, openSending, type Sending, startPeer } from "../../help/destination.ts";

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** The files of a folder below it, by name; those that are hidden, too. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const below = isDirectory ? await filesIn(`${folder}/${name}`) : undefined;
    names.push(...below?.map((it) => `${name}/${it}`) ?? [name]);
  }
  return names.filter((it) => !it.startsWith(".sgwtmp")).sort();
}

async function rowsIn(path: string) {
  const { buffer } = await Deno.readFile(path);
  return await parquetReadObjects({ file: buffer as ArrayBuffer, compressors });
}

const hour_ms = 3_600_000;

async function inFolder(work: (world: Sending, root: string) => Promise<void>): Promise<void> {
  const destination_dir = await Deno.makeTempDir();
  const world = await openSending({ settings: { destination_dir } });
  try {
    await world.put({ key: "lake", kind: "parquet_folder", folder: "files" });
    await work(world, `${destination_dir}/o1/files`);
  } finally {
    await world.close();
    await Deno.remove(destination_dir, { recursive: true });
  }
}

Deno.test("an hour is one file a day of its samples, once it is over, and a manifest", () =>
  inFolder(async (world, root) => {
    await world.send([
      { tag: "a", ts: "2026-06-01T11:59:00Z", value: 1.5, quality: "uncertain" },
      { tag: "t", ts: "2026-06-01T11:59:00Z", value_str: "läuft" },
      { tag: "a", ts: "2026-05-30T08:00:00Z", value_int: "7" },
    ]);
    await world.turn();
    equal((await world.shown()).state.waiting_rows, 3);
    world.service.clock.advance(hour_ms);
    await world.turn();
    deepEqual(await filesIn(root), [
      "project=p1/_manifest/2026-06-01T12Z.json",
      "project=p1/day=2026-05-30/2026-06-01T12Z.parquet",
      "project=p1/day=2026-06-01/2026-06-01T12Z.parquet",
    ]);
    const rows = await rowsIn(`${root}/project=p1/day=2026-06-01/2026-06-01T12Z.parquet`);
    deepEqual(
      rows.map(({ sensor_tag, value, value_str, quality, ts }) => [
        ...[sensor_tag, value, value_str, quality, (ts as Date).toISOString()],
      ]),
      [
        ["a", 1.5, null, "uncertain", "2026-06-01T11:59:00.000Z"],
        ["t", null, "läuft", null, "2026-06-01T11:59:00.000Z"],
      ],
    );
    const manifest = JSON.parse(
      await Deno.readTextFile(`${root}/project=p1/_manifest/2026-06-01T12Z.json`),
    );
    deepEqual(
      manifest.files.map(({ path, rows }: { path: string; rows: number }) => [path, rows]),
      [
        ["day=2026-05-30/2026-06-01T12Z.parquet", 1],
        ["day=2026-06-01/2026-06-01T12Z.parquet", 2],
      ],
    );
    const { state } = await world.shown();
    deepEqual([state.waiting_rows, state.connected, state.days[0].rows], [0, true, 3]);
  }));

Deno.test("a late row comes in a file of its own, and a repeat replaces files", () =>
  inFolder(async (world, root) => {
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    world.service.clock.advance(hour_ms);
    await world.turn();
    await world.send([{ tag: "a", ts: "2026-06-01T10:00:00Z", value: 2 }]);
    world.service.clock.advance(hour_ms);
    await world.turn();
    const files = await filesIn(`${root}/project=p1/day=2026-06-01`);
    deepEqual(files, ["2026-06-01T12Z.parquet", "2026-06-01T13Z.parquet"]);
    const bytes = () =>
      Promise.all(files.map((it) => Deno.readFile(`${root}/project=p1/day=2026-06-01/${it}`)));
    const before = await bytes();
    // As after a stop between the files and the note that they are there.
    const { services } = world.service;
    await services.database.write(({ connection }) =>
      connection.script("UPDATE upstream_span SET from_us = 0 WHERE destination_no = 1")
    );
    await services.destinations.leave({ destination_no: 1 });
    await services.destinations.reload();
    equal((await world.shown()).state.waiting_rows, 2);
    await world.turn();
    deepEqual(await bytes(), before);
    equal((await filesIn(root)).length, 4);
  }));

Deno.test("only the tags asked for go, and without history nothing of the past", async () => {
  const destination_dir = await Deno.makeTempDir();
  const world = await openSending({ settings: { destination_dir } });
  try {
    await world.send([{ tag: "inv.p", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    world.service.clock.advance(hour_ms);
    await world.put({
      ...{ key: "lake", kind: "parquet_folder", folder: "f", history: false, tags: ["inv.*"] },
    });
    await world.send([
      { tag: "inv.p", ts: "2026-06-01T12:30:00Z", value: 2 },
      { tag: "other", ts: "2026-06-01T12:30:00Z", value: 3 },
    ]);
    world.service.clock.advance(hour_ms);
    await world.turn();
    const folder = `${destination_dir}/o1/f/project=p1/day=2026-06-01`;
    deepEqual(await filesIn(folder), ["2026-06-01T13Z.parquet"]);
    deepEqual((await rowsIn(`${folder}/2026-06-01T13Z.parquet`)).map(({ value }) => value), [2]);
  } finally {
    await world.close();
    await Deno.remove(destination_dir, { recursive: true });
  }
});

Deno.test("a folder that can't be written is told, waited for, and loses nothing", () =>
  inFolder(async (world, root) => {
    await Deno.mkdir(root.replace(/\/files$/, ""), { recursive: true });
    await Deno.writeTextFile(root, "in the way");
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    world.service.clock.advance(hour_ms);
    ok(await world.turn() >= 500);
    const { state } = await world.shown();
    match(state.reason, /^the file can't be written: /);
    deepEqual([state.connected, state.waiting_rows], [false, 1]);
    await Deno.remove(root);
    await world.turn();
    deepEqual([(await world.shown()).state.reason, (await filesIn(root)).length], [null, 2]);
  }));

const versitygw = ["/opt/bin/versitygw", "versitygw"].find((it) => hasProgram(it, ["--version"]));
const credentials = { ROOT_ACCESS_KEY: "wk", ROOT_SECRET_KEY: "a-very-secret-key" };

Deno.test({
  name: "a store takes small files whole and large ones in parts, and tells what is wrong",
  ignore: versitygw === undefined,
  async fn() {
    const folder = await Deno.makeTempDir();
    await Deno.mkdir(`${folder}/lake`);
    const store = await startPeer(versitygw!, {
      argsOf: (port) => ["--port", `127.0.0.1:${port}`, "--quiet", "posix", folder],
      env: credentials,
    });
    const settings = { destination_allow: "127.0.0.1" };
    // The store compares the clock of requests with its own.
    const at = new Date(Date.now() - hour_ms).toISOString();
    const world = await openSending({ settings, post: systemPost(), at });
    const definition = {
      ...{ key: "s3", kind: "parquet_s3", endpoint: `http://127.0.0.1:${store.port}` },
      ...{ bucket: "lake", prefix: "plants", access_key_id: "wk" },
    };
    try {
      await world.put({ ...definition, secret_access_key: "wrong" });
      const hour = Math.floor(world.service.clock.now_us / 1000 / hour_ms);
      // Noise, as it can't be packed: more than a part of it, and all of one day.
      const wide = Array.from({ length: 1600 }, (_, i) => ({
        tag: "t",
        ts: new Date(hour * hour_ms + i).toISOString(),
        value_str: crypto.getRandomValues(new Uint8Array(6_000)).toBase64(),
      }));
      for (let i = 0; i < wide.length; i += 100) await world.send(wide.slice(i, i + 100));
      await world.send([{ tag: "a", ts: "2025-01-01T00:00:00Z", value: 1 }]);
      world.service.clock.advance(hour_ms);
      await world.turn();
      match((await world.shown()).state.reason, /answered 403: SignatureDoesNotMatch\. Look at/);
      ok(!JSON.stringify(await world.shown()).includes("wrong"));
      const right = { secret_access_key: credentials.ROOT_SECRET_KEY };
      await world.put({ ...definition, bucket: "none", ...right });
      await world.turn();
      match((await world.shown()).state.reason, /answered 404: NoSuchBucket\. Make the bucket/);
      await world.put({ ...definition, ...right });
      await world.turn();
      const { state } = await world.shown();
      deepEqual([state.reason, state.waiting_rows], [null, 0]);
      const root = `${folder}/lake/plants/project=p1`;
      const files = await filesIn(root);
      const sizes = await Promise.all(
        files.map(async (it) => (await Deno.stat(`${root}/${it}`)).size),
      );
      const most = Math.max(...sizes);
      ok(most > destination_limits.part_bytes, `${sizes}`);
      ok((await rowsIn(`${root}/${files[sizes.indexOf(most)]}`)).length > 1000);
      const small = files.find((it) => it.startsWith("day=2025-01-01/"));
      deepEqual((await rowsIn(`${root}/${small}`)).map(({ value }) => value), [1]);
    } finally {
      await world.close();
      await store.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("an address that is not global is refused, unless it is allowed", async () => {
  const world = await openSending({ post: systemPost() });
  try {
    await world.put({
      ...{ key: "s3", kind: "parquet_s3", endpoint: "http://127.0.0.1:9", bucket: "lake" },
      ...{ access_key_id: "wk", secret_access_key: "s" },
    });
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    world.service.clock.advance(hour_ms);
    await world.turn();
    match((await world.shown()).state.reason, /127\.0\.0\.1 is not global.*destination_allow/);
  } finally {
    await world.close();
  }
});
