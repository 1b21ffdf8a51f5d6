// `deno run -A tests/faults/work.ts [kills] [seed]`: work over the line, each side killed, while
// the centre folds its log all the time.
import { deepEqual, equal, ok } from "node:assert/strict";
import { sha256Hex } from "../../src/base/digest.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { from_source, type Program, tested_program } from "../help/process.ts";
import type { KillRounds } from "./forward.ts";
import { lacking, rest, selectRows, type Side, sideOf } from "./side.ts";
import { until } from "./until.ts";

/** What was acknowledged, and what is at both sides. */
type WorkReport = {
  readonly acknowledged: number;
  readonly issues: number;
  readonly rows: number;
  readonly conflicts: number;
  readonly photos: number;
  readonly photo_bytes: number;
  /** Changes that make something and others, in the centre's log at the end. */
  readonly folded: string;
};

/** A side, with its administrator's token and the folder of its photos. */
type Place = Side & { readonly token: string; readonly photos: string };

/** The program with small bounds of the log, where it is run from its sources. */
const folding: Program = tested_program === from_source
  ? {
    ...from_source,
    args: ["run", `--preload=${import.meta.dirname}/small_limits.ts`, ...from_source.args.slice(1)],
  }
  : tested_program;

const person = "ana@o.example";
/** Requests between two kills, at most, and how long they take together. */
const round_steps = 24;
const round_ms = 6_000;
/** The largest photo, about. */
const photo_bytes = 600_000;

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
  devices: [{ key: "inv1", type: "inverter", name: "Inverter 1" }],
};

/**
 * Makes and changes issues and work orders at a gateway and its centre, while each is killed so
 * many times; asserts that both sides end with the same work and history, each row once, and with
 * everything among it that was acknowledged.
 */
export async function killWork(
  { kills, seed, tell = () => {} }: KillRounds,
): Promise<WorkReport> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-work-" });
  const centre = placeOf(
    await sideOf(`${folder}/centre`, { program: folding }),
    `${folder}/centre`,
  );
  await declare(centre);
  const args = ["--upstream-url", centre.server.address];
  const env = { WATTKEEPER_UPSTREAM_TOKEN: centre.token };
  const gateway = placeOf(
    await sideOf(`${folder}/gateway`, { args, env }),
    `${folder}/gateway`,
  );
  await declare(gateway);
  const dice = new Dice(seed);
  const acknowledged: string[] = [];
  const removed: Removed = { asked: new Set(), done: new Set() };
  let next = 0;
  try {
    for (let round = 0; round < 2 * kills; round++) {
      const victim = round % 2 === 0 ? gateway : centre;
      const wait_ms = round_ms * dice.unit(2, round);
      const killing = rest(wait_ms).then(() => victim.server.end("SIGKILL"));
      const steps = 1 + dice.pick(round_steps, { channel: 1, step: round });
      for (let i = 0; i < steps; i++, next++) {
        const side = dice.unit(4, next) < 0.5 ? gateway : centre;
        const said = await act(side, next, { share: dice.unit(3, next), removed });
        if (said !== undefined) acknowledged.push(said);
        await rest(round_ms / round_steps);
      }
      await killing;
      victim.server = await victim.start();
      const name = victim === gateway ? "gateway" : "centre";
      tell(`${round + 1}: ${name} killed after ${Math.round(wait_ms)} ms, ${next} requests`);
    }
    const left = await until(async () => {
      const [here, there] = [await linesOf(gateway), await linesOf(centre)];
      const waiting = here.filter((it) => it.includes('"is_here":false'));
      if (waiting.length > 0) return waiting;
      const [missing, strange] = [lacking(here, there), lacking(there, here)];
      return [
        ...missing.map((it) => `not there: ${it}`),
        ...strange.map((it) => `only there: ${it}`),
      ].slice(0, 5);
    }, 180_000);
    deepEqual(left, [], "both sides have the same work");
    return await requireWhole([gateway, centre], { acknowledged, removed });
  } finally {
    await gateway.server.end("SIGKILL");
    await centre.server.end("SIGKILL");
    await Deno.remove(folder, { recursive: true });
  }
}

/** Everything that was acknowledged is there once, at both sides. */
async function requireWhole(
  sides: readonly Place[],
  { acknowledged, removed }: {
    readonly acknowledged: readonly string[];
    readonly removed: Removed;
  },
): Promise<WorkReport> {
  const reports = await Promise.all(sides.map(async (side) => {
    const [rows, issues] = [await rowsOf(side), await issuesOf(side)];
    const photos = await photosOf(side);
    equal(new Set(rows.map(({ id }) => id)).size, rows.length, "no row is there twice");
    const said = [
      ...rows.filter(({ kind }) => kind === "commented").map(({ body }) => `said ${body}`),
      ...issues.map(({ name }) => `made ${name}`),
      ...rows.filter(({ kind }) => kind === "work_order_added").map(({ body }) => `order ${body}`),
      ...photos.map(({ id }) => `photo ${id}`),
    ];
    equal(new Set(said).size, said.length, "nothing was made or said twice");
    const missing = lacking(acknowledged, said)
      .filter((it) => !removed.asked.has(it.replace("photo ", "")));
    equal(missing.length, 0, `not there, but acknowledged: ${missing.join(", ")}`);
    const back = photos.filter(({ id }) => removed.done.has(id));
    equal(back.length, 0, `removed, but there: ${back.map(({ id }) => id).join(", ")}`);
    for (const { id, digest } of photos) {
      equal(sha256Hex(await Deno.readFile(`${side.photos}/${id}`)), digest, "each byte is there");
    }
    deepEqual(await filesOf(side), photos.map(({ id }) => id), "no file is left behind");
    const conflicts = rows.filter(({ kind }) => kind === "conflict").length;
    const photo_bytes = photos.reduce((sum, { size }) => sum + size, 0);
    const counts = { issues: issues.length, rows: rows.length, conflicts };
    return { ...counts, photos: photos.length, photo_bytes };
  }));
  deepEqual(reports[0], reports[1]);
  return { acknowledged: acknowledged.length, ...reports[0], folded: await logOf(sides[1]) };
}

/** The names of the files of a side's photos. */
async function filesOf({ photos }: Place): Promise<readonly string[]> {
  // The first photo makes the folder.
  await Deno.mkdir(photos, { recursive: true });
  return (await Array.fromAsync(Deno.readDir(photos))).map(({ name }) => name).sort();
}

/** What is in a side's log of shared work. */
async function logOf(side: Place): Promise<string> {
  const sql = `
    SELECT count(*) FILTER (id = owner_id) AS made, count(*) AS changes,
      count(*) FILTER (id = owner_id AND since_no <> change_no) AS folded
    FROM work_change WHERE kind <> 'photo'`;
  const [log] = await selectRows<Readonly<Record<string, number>>>(side, {
    token: side.token,
    sql,
  });
  return `${log.changes} changes in the log, ${log.folded} of ${log.made} folded`;
}

function placeOf(side: Side, data_dir: string): Place {
  ok(side.server.token, "the first start prints a token");
  return Object.assign(side, { token: side.server.token, photos: `${data_dir}/photos` });
}

async function declare(side: Place): Promise<void> {
  ok(await ask(side, "/admin/v1/sites/s", site, "PUT"), "the site is taken");
  const user = { organization: "o", email: person, first_name: "Ana", last_name: "Gil" };
  ok(await ask(side, "/admin/v1/users", user), "the user is taken");
}

const issues_path = "/platform/v1/issues";
const statuses = ["in_progress", "on_hold", "open", "resolved"];

/** The ids of photos that were asked to be removed, and that were. */
type Removed = { readonly asked: Set<string>; readonly done: Set<string> };

/** Makes or changes something at a side; what was made or said if it was acknowledged. */
async function act(
  side: Place,
  n: number,
  { share, removed }: { readonly share: number; readonly removed: Removed },
): Promise<string | undefined> {
  const listed = await ask(side, `${issues_path}?project_id=p`);
  const known = (listed ?? []) as readonly { readonly id: string }[];
  const issue = known[Math.floor(share * known.length)];
  if (n % 7 === 0 || issue === undefined) {
    const devices = n % 2 === 0 ? [{ device_id: "inv1" }] : [];
    const made = await ask(side, `${issues_path}?project_id=p`, { name: `issue ${n}`, devices });
    return made ? `made issue ${n}` : undefined;
  }
  const path = `${issues_path}/${issue.id}`;
  if (n % 7 === 1) {
    // One with devices that an active one covers is none of its own.
    const order = { issue_id: issue.id, title: `order ${n}`, devices: [] };
    const made = await ask(side, "/platform/v1/work-orders?project_id=p", order);
    return made ? `order order ${n}` : undefined;
  }
  if (n % 7 === 4 || n % 7 === 5) return await actOnPhotos(side, n, { path, share, removed });
  if (n % 7 === 2) {
    const change = n % 2 === 0
      ? { status: statuses[n % statuses.length] }
      : { description: `seen ${n}` };
    await ask(side, `${path}?project_id=p`, { ...change, user: person }, "PATCH");
    return undefined;
  }
  const said = { body: `${n}`, user: person };
  return await ask(side, `${path}/comment?project_id=p`, said) ? `said ${n}` : undefined;
}

/** Adds a photo to what is at a path, or removes one of it now and then; likewise. */
async function actOnPhotos(
  side: Place,
  n: number,
  { path, share, removed }: {
    readonly path: string;
    readonly share: number;
    readonly removed: Removed;
  },
): Promise<string | undefined> {
  const project = "project_id=p";
  const shown = await ask(side, `${path}?${project}&include=photos`);
  const [first] = (shown as { photos?: readonly { readonly photo_id: string }[] })?.photos ?? [];
  if (first && share < 0.3) {
    removed.asked.add(first.photo_id);
    const gone = await ask(
      side,
      `${path}/photos/${first.photo_id}?${project}`,
      undefined,
      "DELETE",
    );
    if (gone) removed.done.add(first.photo_id);
    return undefined;
  }
  const bytes = Uint8Array.from(
    { length: 1_000 + (n * 37_813) % photo_bytes },
    (_, i) => (i * n + (i >> 8)) & 0xff,
  );
  bytes.set([0xff, 0xd8, 0xff]);
  const added = await ask(side, `${path}/photos?${project}`, bytes);
  return added ? `photo ${(added as { readonly photo_id: string }).photo_id}` : undefined;
}

/** What a side answers; undefined where it does not, or refuses. */
async function ask(
  { server, token }: Place,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<unknown> {
  try {
    const answer = await fetch(`${server.address}${path}`, {
      method,
      body: body instanceof Uint8Array ? body as BodyInit : JSON.stringify(body),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": body instanceof Uint8Array ? "image/jpeg" : "application/json",
      },
    });
    const text = await answer.text();
    return answer.ok ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

type Row = Readonly<Record<"id" | "issue" | "kind" | "field" | "at" | "body", string | null>>;

function rowsOf(side: Place): Promise<readonly Row[]> {
  const sql = `
    SELECT h.id, i.id AS issue, h.kind, h.field, h.created_at AS at,
      coalesce(h.detail->>'body', h.detail->>'title') AS body
    FROM issue_history AS h JOIN issue AS i USING (issue_no) ORDER BY h.id`;
  return selectRows<Row>(side, { token: side.token, sql });
}

type Issue = Readonly<Record<"id" | "name" | "status" | "number" | "description", unknown>>;

function issuesOf(side: Place): Promise<readonly Issue[]> {
  const sql = `
    SELECT id, name, status, number, description, priority, resolved_at, deleted_at
    FROM issue ORDER BY id`;
  return selectRows<Issue>(side, { token: side.token, sql });
}

type Photo = { readonly id: string; readonly digest: string; readonly size: number };

/** The photos of a side, and whether they are whole. */
function photosOf(side: Place): Promise<readonly Photo[]> {
  const sql = `
    SELECT id, kind, owner_id, media_type, size, digest, is_here
    FROM photo WHERE removed_at IS NULL ORDER BY id`;
  return selectRows<Photo>(side, { token: side.token, sql });
}

/** All of a side's work, a line a thing. */
async function linesOf(side: Place): Promise<readonly string[]> {
  const sql = `
    SELECT w.id, w.title, w.status, w.number, i.id AS issue, w.deleted_at
    FROM work_order AS w JOIN issue AS i USING (issue_no) ORDER BY w.id`;
  const orders = await selectRows<object>(side, { token: side.token, sql });
  const all = [await issuesOf(side), orders, await rowsOf(side), await photosOf(side)];
  return all.flat().map((it) => JSON.stringify(it));
}

if (import.meta.main) {
  const { out } = systemEffects();
  const [kills = 10, seed = 1] = Deno.args.map(Number);
  const told = await killWork({ kills, seed, tell: (text) => out(`${text}\n`) });
  out(
    `${kills} kills of each side, seed ${seed}: ${told.acknowledged} acknowledged; ` +
      `${told.issues} issues with ${told.rows} rows of history, of them ${told.conflicts} ` +
      `conflicts, and ${told.photos} photos of ${told.photo_bytes} bytes, once at each side; ` +
      `${told.folded}\n`,
  );
}
