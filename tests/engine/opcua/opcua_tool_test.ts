// An OPC UA server of another maker (the Python package asyncua), read over the network.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { keepCertificates } from "../../../src/store/backup/certificates.ts";
import { packBackup, writeBackup } from "../../../src/store/backup/pack.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { Database } from "../../../src/store/database.ts";
import { certificatesPath, keptFolders } from "../../../src/store/folder.ts";
import { unlock } from "../../../src/store/seal.ts";
import {
  cuttable,
  freePort,
  hasServer,
  makeCertificate,
  readSource,
  startServer,
} from "../../help/opcua.ts";

const is_skipped = !await hasServer();

/** A test in a folder of its own, left out where there is no server. */
function served(name: string, run: (folder: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore: is_skipped,
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        await run(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
    // Timers of a connection that the library is still ending.
    sanitizeOps: false,
    sanitizeResources: false,
  });
}

const quick = { security: "none", publish_ms: 100, sampling_ms: 20 };
const counter = { tag: "count", node: "ns=2;i=1001" };
const address = (port: number) => ({ endpoint: `opc.tcp://127.0.0.1:${port}/plant/` });

/** What came of the counter, but for what it has before it begins. */
const counts = (source: ReturnType<typeof readSource>) =>
  source.valued("count").filter(({ value }) => value !== 0);

/** How many of a counter's values are missing; it counts from 1 again after a start. */
function holes(rows: readonly { readonly value?: unknown }[]): number {
  const values = rows.map(({ value }) => Number(value));
  return values.reduce((sum, value, i) => {
    return i === 0 || value === 1 ? sum : sum + value - values[i - 1] - 1;
  }, 0);
}

served("values of all types are read, and what can't be kept is told once", async (folder) => {
  const port = freePort();
  const server = await startServer(port);
  const types = [
    ...["Boolean", "SByte", "UInt32", "Int64", "UInt64", "Double", "NaN", "String", "DateTime"],
    ...["LocalizedText", "ByteString", "Array", "Uncertain", "Bad", "Duoble"],
  ];
  const uri = "nsu=http://example.com/plant;s=Types";
  const source = readSource({
    ...{ ...address(port), ...quick },
    points: [
      ...types.map((type) => ({ tag: type, node: `${uri}.${type}` })),
      { tag: "second", node: "ns=2;s=Types.Array", element: 1, scale: 10, offset: 1 },
    ],
  }, { certificates: folder });
  try {
    await source.until(() => source.rows.size === types.length && source.state.notes.length === 3);
    const shown = Object.fromEntries([...source.rows].map(([tag, rows]) => {
      const [{ value, status_code }] = rows.values();
      return [tag, status_code === undefined ? value : [value, status_code]];
    }));
    deepEqual(shown, {
      ...{ Boolean: 1, SByte: -7, UInt32: 4_000_000_000, Double: -2.25, String: "running" },
      ...{ Int64: -9_007_199_254_740_993n, UInt64: 9_007_199_254_740_993n },
      ...{ NaN: [undefined, 0x809b_0000], DateTime: "2026-06-01T12:00:00.123Z" },
      ...{ LocalizedText: "läuft", ByteString: [undefined, 0x803d_0000] },
      ...{ Array: [undefined, 0x803d_0000], second: 21 },
      ...{ Uncertain: [5, 0x4000_0000], Bad: [undefined, 0x808a_0000] },
    });
    const [{ ts_us }] = source.rows.get("Uncertain")!.values();
    equal(ts_us, Date.UTC(2026, 5, 1, 12) * 1000 + 123_456);
    match(source.state.notes.join("\n"), /Array .*an array of 3: .*element = 0 to 2/);
    match(source.state.notes.join("\n"), /ByteString .*can't be kept/);
    match(source.state.notes.join("\n"), /no node .*Types\.Duoble; meant ns=2;s=Types\.Double/);
  } finally {
    await source.close();
    await server.kill();
  }
});

served("a cut line and a server that dies leave no hole: its history is read", async (folder) => {
  const port = freePort();
  const args = ["--history", `${folder}/history`, "--every", "0.02"];
  let server = await startServer(port, args);
  const line = cuttable(port);
  const source = readSource({ ...address(line.port), ...quick, points: [counter] }, {
    certificates: folder,
  });
  try {
    await source.until(() => counts(source).length > 50);
    line.cut();
    const newest = counts(source).at(-1)!;
    await source.until(() => Date.now() * 1000 > newest.ts_us + 3_000_000);
    line.mend();
    await source.until(() => Number(counts(source).at(-1)!.value) > Number(newest.value) + 200);
    equal(holes(counts(source)), 0);
    deepEqual(source.state.gaps, []);
    await server.kill();
    server = await startServer(port, args);
    // It counts from 1 again.
    await source.until(() => {
      const begun = counts(source).findLastIndex(({ value }) => value === 1);
      return begun > 0 && counts(source).length - begun > 50;
    });
    equal(holes(counts(source)), 0);
  } finally {
    await source.close();
    await server.kill();
    await line.close();
  }
});

served("after a start, history is read from what was stored last", async (folder) => {
  const port = freePort();
  const server = await startServer(port, ["--history", `${folder}/history`, "--every", "0.002"]);
  const wanted = { ...address(port), ...quick, points: [counter] };
  const first = readSource(wanted, { certificates: folder });
  await first.until(() => counts(first).length > 50);
  await first.close();
  const newest = counts(first).at(-1)!;
  const second = readSource(wanted, { certificates: folder, before: first.rows });
  try {
    // More than one piece of the history.
    await second.until(() => Date.now() * 1000 > newest.ts_us + 5_000_000);
    const newest_value = () => Number(counts(second).at(-1)!.value);
    await second.until(() => newest_value() > 2_500);
    // Its history may have been stored late, and is read once more.
    await second.until(() => holes(counts(second)) === 0 || newest_value() > 15_000);
    equal(holes(counts(second)), 0);
  } finally {
    await second.close();
    await server.kill();
  }
});

served("without history, the span that is lost is told", async (folder) => {
  const port = freePort();
  const server = await startServer(port, ["--every", "0.02"]);
  const line = cuttable(port);
  const source = readSource({ ...address(line.port), ...quick, points: [counter] }, {
    certificates: folder,
  });
  try {
    await source.until(() => counts(source).length > 20);
    line.cut();
    const newest = counts(source).at(-1)!;
    await source.until(() => Date.now() * 1000 > newest.ts_us + 1_500_000);
    line.mend();
    await source.until(() => source.state.gaps.length > 0);
    const [{ from_us, to_us, reason }] = source.state.gaps;
    equal(from_us, newest.ts_us);
    ok(to_us > from_us + 1_500_000);
    match(reason, /no history .* count$/);
  } finally {
    await source.close();
    await server.kill();
    await line.close();
  }
});

for (const [name, shift] of [["ahead", "3600"], ["behind", "-3600"]] as const) {
  served(`values whose times are an hour ${name} hide nothing of a gap`, async (folder) => {
    const port = freePort();
    const args = ["--history", `${folder}/history`, "--every", "0.02", "--shift", shift];
    const server = await startServer(port, args);
    const line = cuttable(port);
    const source = readSource({ ...address(line.port), ...quick, points: [counter] }, {
      certificates: folder,
    });
    try {
      await source.until(() => counts(source).length > 50);
      line.cut();
      const count = Number(counts(source).at(-1)!.value);
      const cut_ms = Date.now();
      await source.until(() => Date.now() > cut_ms + 2_000);
      line.mend();
      const newest = () => Number(counts(source).at(-1)!.value);
      await source.until(() => newest() > count + 150);
      // Its history may have been stored late, and is read once more.
      await source.until(() => holes(counts(source)) === 0 || newest() > count + 1_500);
      equal(holes(counts(source)), 0);
    } finally {
      await source.close();
      await server.kill();
      await line.close();
    }
  });
}

served("values are written by the node's own type, and refusals are told", async (folder) => {
  const port = freePort();
  const server = await startServer(port, ["--operator"]);
  const setpoint = { unit: "%", min: -1e6, max: 1e6 };
  const set = (name: string, more: object = {}) => (
    { tag: name, node: `ns=2;s=Set.${name}`, setpoint, ...more }
  );
  const source = readSource({
    ...{ ...address(port), ...quick },
    points: [
      ...[set("Boolean"), set("Int16", { scale: 0.1 }), set("UInt64"), set("Float"), set("Double")],
      { tag: "String", node: "ns=2;s=Types.String", setpoint },
      { tag: "Closed", node: "ns=2;s=Types.Double", setpoint },
    ],
  }, { certificates: folder });
  const send = async (tag: string, value: number) => {
    const { outcome, before, after, reason } = await source.send(tag, value);
    return [outcome, before, after, reason];
  };
  try {
    await source.until(() => source.rows.size === 7);
    deepEqual(await send("Boolean", 1), ["confirmed", 0, 1, null]);
    deepEqual(await send("Int16", -60.5), ["confirmed", 100, -60.5, null]);
    deepEqual(await send("UInt64", 2 ** 40), ["confirmed", 7, 2 ** 40, null]);
    deepEqual(await send("Float", 0.1), ["confirmed", 0, Math.fround(0.1), null]);
    deepEqual(await send("Double", 60.25), ["confirmed", 100, 60.25, null]);
    await source.until(() => source.valued("Double").at(-1)?.value === 60.25);
    const unheld = "ns=2;s=Set.Int16 can't hold 60.25";
    deepEqual(await send("Int16", 60.25), ["not_sent", -60.5, null, unheld]);
    match(`${await send("String", 1)}`, /^not_sent,,,.*it holds no number \(its type is ns=0;i=12/);
    match(`${await send("Closed", 1)}`, /^refused,-2.25,-2.25,.*user may not write it.*BadUser/);
  } finally {
    await source.close();
    await server.kill();
  }
});

served("a server that sends seldom is not taken for a lost one", async (folder) => {
  const port = freePort();
  const server = await startServer(port);
  const seldom = { ...address(port), ...quick, publish_ms: 4_000, timeout_ms: 1_000 };
  const source = readSource({ ...seldom, points: [counter] }, { certificates: folder });
  try {
    await source.until(() => counts(source).length > 60);
    equal(source.state.last_error, null);
    equal(holes(counts(source)), 0);
  } finally {
    await source.close();
    await server.kill();
  }
});

served("a server is trusted once its certificate was moved; users sign in", async (folder) => {
  const port = freePort();
  await makeCertificate(`${folder}/server`, { from_days: -1, days: 365 });
  const args = ["--secure", `${folder}/server`, "--user", "ann:right"];
  const server = await startServer(port, args);
  const certificates = `${folder}/certificates`;
  const sources: ReturnType<typeof readSource>[] = [];
  const open = (more: object, secrets = {}) => {
    const wanted = { ...quick, ...address(port), security: "sign_and_encrypt", ...more };
    const source = readSource({ ...wanted, points: [counter] }, { certificates, secrets });
    sources.push(source);
    return source;
  };
  const said = async (source: ReturnType<typeof readSource>) => {
    await source.until(() => source.state.last_error !== null);
    return `${source.state.last_error!.kind}: ${source.state.last_error!.message}`;
  };
  const user = { user: "ann", password_file: "p" };
  try {
    match(
      await said(open({ security: "none" })),
      /does not offer security = "none": write one of .*"sign_and_encrypt" with policy = "Basic/,
    );
    const stranger = await said(open(user, { p: "right" }));
    const [, from, to] = /^denied: .*not trusted: .* mv "(.*)" "(.*)"$/.exec(stranger) ??
      [stranger];
    ok(to, stranger);
    await Deno.rename(from, `${to}/server.pem`);
    const known = open(user, { p: "right\n" });
    await known.until(() => counts(known).length > 3);
    const signed = open({ ...user, security: "sign" }, { p: "right" });
    await signed.until(() => counts(signed).length > 3);
    const restored = await backedUp(folder, certificates);
    const again = readSource(
      { ...quick, ...address(port), security: "sign_and_encrypt", ...user, points: [counter] },
      { certificates: restored, secrets: { p: "right" } },
    );
    sources.push(again);
    await again.until(() => counts(again).length > 3);
    equal(
      await Deno.readTextFile(`${restored}/own/certs/wattkeeper.pem`),
      await Deno.readTextFile(`${certificates}/own/certs/wattkeeper.pem`),
    );
    match(await said(open(user, { p: "wrong" })), /^denied: the server refuses the user/);
    match(await said(open(user)), /^denied: there is no file p/);
  } finally {
    await Promise.all(sources.map((source) => source.close()));
    await server.kill();
  }
});

/** The folder of certificates as a backup has it that is restored elsewhere. */
async function backedUp(folder: string, certificates: string): Promise<string> {
  const effects = systemEffects();
  const open = (name: string) =>
    Database.open({ effects, path: `${folder}/${name}/wattkeeper.duckdb` }).then(async (it) => {
      await unlock(it, { effects, key_path: `${folder}/key` });
      return it;
    });
  await Deno.mkdir(`${folder}/data`);
  const database = await open("data");
  await keepCertificates(database, certificates);
  const folders = keptFolders({ data_dir: `${folder}/data` });
  const made_at = new Date(effects.now_us() / 1000).toISOString();
  {
    using cut = await database.cut();
    await writeBackup(`${folder}/it.tar`, packBackup(cut, { folders, program: "1", made_at }));
  }
  await database.close();
  const path = `${folder}/other`;
  const target = { path, folders: keptFolders({ data_dir: path }) };
  await restoreBackup(`${folder}/it.tar`, target, { effects });
  const restored = await open("other");
  await keepCertificates(restored, certificatesPath({ data_dir: path }));
  await restored.close();
  return certificatesPath({ data_dir: path });
}

served("an expired certificate and a wrong port are told", async (folder) => {
  const port = freePort();
  await makeCertificate(`${folder}/server`, { from_days: -30, days: 10 });
  const server = await startServer(port, ["--secure", `${folder}/server`]);
  const certificates = `${folder}/certificates`;
  const wanted = { ...quick, security: "sign", points: [counter] };
  const expired = readSource({ ...wanted, ...address(port) }, { certificates });
  const closed = readSource({ ...wanted, ...address(freePort()) }, { certificates });
  try {
    await expired.until(() => expired.state.last_error !== null);
    match(expired.state.last_error!.message, /^the server's certificate expired on .*here it is/);
    await closed.until(() => closed.state.last_error !== null);
    match(closed.state.last_error!.message, /nothing listens at port .*usual port.* 4840/);
  } finally {
    await expired.close();
    await closed.close();
    await server.kill();
  }
});
