// `deno run -A tests/faults/alarm.ts [kills] [seed]`: alarms over the line, each side killed.
import { deepEqual, equal, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import type { KillRounds } from "./forward.ts";
import { lacking, rest, selectRows, type Side, sideOf } from "./side.ts";
import { until } from "./until.ts";

/** What was acknowledged, and what is at both sides. */
type AlarmReport = {
  readonly raised: number;
  readonly actions: number;
  readonly alarms: number;
  readonly events: number;
};

/** An event of an alarm, as both sides have to have it. */
type Event = Readonly<
  Record<"occurrence_id" | "event_id" | "type" | "kind" | "at" | "body", string | null>
>;

/** A side, with its administrator's token. */
type Place = Side & { readonly token: string };

const person = "ana@o.example";
/** Requests and actions between two kills, at most, and how long they take together. */
const round_steps = 16;
const round_ms = 6_000;

/** A site with a rule for each of so many tags. */
const siteOf = (tags: readonly string[]) => ({
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
  tags: tags.map((name) => ({ name, encoding: "float" })),
  rules: tags.map((tag) => ({
    ...{ key: `high-${tag}`, name: `High ${tag}`, kind: "threshold", tag },
    ...{ operator: ">", threshold: 10, resolution_policy: "auto", judged_at: "gateway" },
  })),
});

/**
 * Raises and clears alarms at a gateway, and acts on them at both sides, while each side is killed
 * so many times; asserts that both sides end with the same alarms and events, each once, and
 * with everything among them that was acknowledged.
 */
export async function killAlarms(
  { kills, seed, tell = () => {} }: KillRounds,
): Promise<AlarmReport> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-alarm-" });
  const centre = placeOf(await sideOf(`${folder}/centre`));
  const tags = Array.from({ length: 2 * kills * round_steps }, (_, n) => `t${n}`);
  await declare(centre, tags);
  const args = ["--upstream-url", centre.server.address];
  const env = { WATTKEEPER_UPSTREAM_TOKEN: centre.token };
  const gateway = placeOf(await sideOf(`${folder}/gateway`, { args, env }));
  await declare(gateway, tags);
  const dice = new Dice(seed);
  const raised = new Set<string>();
  const actions = new Set<string>();
  let next = 0;
  try {
    for (let round = 0; round < 2 * kills; round++) {
      const victim = round % 2 === 0 ? gateway : centre;
      const wait_ms = round_ms * dice.unit(2, round);
      const killing = rest(wait_ms).then(() => victim.server.end("SIGKILL"));
      const steps = 1 + dice.pick(round_steps, { channel: 1, step: round });
      for (let i = 0; i < steps; i++, next++) {
        const key = await raise(gateway, tags[next]);
        if (key !== undefined) raised.add(key);
        const side = dice.unit(4, next) < 0.5 ? gateway : centre;
        const action = await act(side, next, dice.unit(3, next));
        if (action !== undefined) actions.add(action);
        await rest(round_ms / round_steps);
      }
      await killing;
      victim.server = await victim.start();
      const name = victim === gateway ? "gateway" : "centre";
      tell(`${round + 1}: ${name} killed after ${Math.round(wait_ms)} ms, ${next} alarms`);
    }
    const left = await until(async () => {
      const [here, there] = [await eventsOf(gateway), await eventsOf(centre)].map(linesOf);
      const [missing, strange] = [lacking(here, there), lacking(there, here)];
      return [
        ...missing.map((it) => `not there: ${it}`),
        ...strange.map((it) => `only there: ${it}`),
      ]
        .slice(0, 5);
    }, 180_000);
    deepEqual(left, [], "both sides have the same events");
    return await requireWhole({ gateway, centre }, { raised, actions });
  } finally {
    await gateway.server.end("SIGKILL");
    await centre.server.end("SIGKILL");
    await Deno.remove(folder, { recursive: true });
  }
}

/** Everything that was acknowledged is there once, at both sides. */
async function requireWhole(
  sides: { readonly gateway: Place; readonly centre: Place },
  { raised, actions }: {
    readonly raised: ReadonlySet<string>;
    readonly actions: ReadonlySet<string>;
  },
): Promise<AlarmReport> {
  const told = await Promise.all(
    Object.values(sides).map(async (side) => {
      const alarms = await alarmsOf(side);
      const events = await eventsOf(side);
      const ids = new Set(alarms.map(({ occurrence_id }) => occurrence_id));
      equal(ids.size, alarms.length, "no alarm is there twice");
      equal(new Set(linesOf(events)).size, events.length, "no event is there twice");
      const keys = alarms.map(({ tag, at }) => `${tag} ${at}`);
      equal(new Set(keys).size, keys.length, "no alarm was raised twice");
      deepEqual(lacking([...raised], keys), [], "every value that was acknowledged has its alarm");
      const done = events.map(({ type, body, occurrence_id }) =>
        type === "commented" ? `commented ${body}` : `${type} ${occurrence_id}`
      );
      deepEqual(lacking([...actions], done), [], "every action that was acknowledged is there");
      const said = done.filter((it) => it.startsWith("commented"));
      equal(new Set(said).size, said.length, "no comment is there twice");
      return { alarms, events };
    }),
  );
  const [here, there] = told.map(({ alarms }) => alarms);
  deepEqual(there, here, "both sides have the same alarms");
  const [{ alarms, events }] = told;
  return {
    ...{ raised: raised.size, actions: actions.size },
    ...{ alarms: alarms.length, events: events.length },
  };
}

function placeOf(side: Side): Place {
  ok(side.server.token, "the first start prints a token");
  return Object.assign(side, { token: side.server.token });
}

async function declare(side: Place, tags: readonly string[]): Promise<void> {
  const body = siteOf(tags);
  ok(await ask(side, "/admin/v1/sites/s", { method: "PUT", body }), "the site is taken");
  const user = { organization: "o", email: person, first_name: "Ana", last_name: "Gil" };
  ok(await ask(side, "/admin/v1/users", { method: "POST", body: user }), "the user is taken");
}

/** A value over the limit and one below: an alarm of its own; what it is if it was acknowledged. */
async function raise(gateway: Place, tag: string): Promise<string | undefined> {
  // What is long past raises nothing.
  const now_ms = Date.now();
  const times = [now_ms - 10, now_ms].map((ms) => new Date(ms).toISOString());
  const lines = times.map((ts, i) => JSON.stringify({ tag, ts, value: i === 0 ? 20 : 1 }));
  const answer = await ask(gateway, "/ingest/v1/signals?project_id=p", {
    ...{ method: "POST", text: lines.join("\n") },
  });
  return (answer as { accepted?: number } | undefined)?.accepted === lines.length
    ? `${tag} ${Date.parse(times[0]) * 1000}`
    : undefined;
}

/** Claims one of the alarms of a side, or comments on it; what was done if it was acknowledged. */
async function act(side: Place, n: number, share: number): Promise<string | undefined> {
  const listed = await ask(side, "/platform/v1/alarms?project_id=p&limit=1000");
  const alarms = (listed ?? []) as readonly { readonly occurrence_id: string }[];
  if (alarms.length === 0) return undefined;
  const { occurrence_id } = alarms[Math.floor(share * alarms.length)];
  const path = `/platform/v1/alarms/${occurrence_id}`;
  const [action, event, said] = n % 3 === 0
    ? ["claim", `claimed ${occurrence_id}`, {}]
    : ["comment", `commented said ${n}`, { body: `said ${n}` }];
  const body = { ...said, user: person };
  const answer = await ask(side, `${path}/${action}?project_id=p`, { method: "POST", body });
  return answer === undefined ? undefined : event;
}

/** What a side answers; undefined where it does not, or refuses. */
async function ask(
  { server, token }: Place,
  path: string,
  { method = "GET", body, text = JSON.stringify(body) }: {
    readonly method?: string;
    readonly body?: unknown;
    readonly text?: string;
  } = {},
): Promise<unknown> {
  const type = body === undefined ? "application/x-ndjson" : "application/json";
  try {
    const answer = await fetch(`${server.address}${path}`, {
      ...{ method, body: text },
      headers: { authorization: `Bearer ${token}`, "content-type": type },
    });
    const said = await answer.text();
    return answer.ok ? JSON.parse(said) : undefined;
  } catch {
    return undefined;
  }
}

type Alarm = Readonly<Record<"occurrence_id" | "tag" | "at" | "status" | "cleared", string | null>>;

function alarmsOf(side: Place): Promise<readonly Alarm[]> {
  const sql = `
    SELECT occurrence_id, source_tag AS tag, raised_at AS at, status, cleared_at AS cleared
    FROM occurrence ORDER BY occurrence_id`;
  return selectRows<Alarm>(side, { token: side.token, sql });
}

function eventsOf(side: Place): Promise<readonly Event[]> {
  const sql = `
    SELECT occurrence_id, event_id, type, kind, created_at AS at, body
    FROM occurrence_event ORDER BY occurrence_id, event_id`;
  return selectRows<Event>(side, { token: side.token, sql });
}

function linesOf(events: readonly Event[]): readonly string[] {
  return events.map((event) => Object.values(event).join(" "));
}

if (import.meta.main) {
  const { out } = systemEffects();
  const [kills = 10, seed = 1] = Deno.args.map(Number);
  const told = await killAlarms({ kills, seed, tell: (text) => out(`${text}\n`) });
  out(
    `${kills} kills of each side, seed ${seed}: ${told.raised} alarms and ${told.actions} ` +
      `actions acknowledged; ${told.alarms} alarms with ${told.events} events once at each side\n`,
  );
}
