// What people do with an alarm on both sides of a line that fails: both end equal, seed by seed.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import { type Forwarding, openForwarding } from "../../help/upstream.ts";

const people = ["ana@acme.example", "ben@acme.example"];

async function openShared(): Promise<Forwarding> {
  const world = await openForwarding();
  const rule = {
    ...{ key: "high", name: "High", kind: "threshold", tag: "a", operator: ">", threshold: 10 },
    ...{ resolution_policy: "require_both", judged_at: "gateway" },
  };
  for (const side of [world.gateway, world.centre]) {
    const site = {
      version: 1,
      organization: { key: "o1", name: "O 1" },
      project: { key: "p1", name: "P 1", timezone: "UTC" },
      site: { key: "s1", name: "Site 1", latitude: 40, longitude: -3 },
      tags: [{ name: "a", encoding: "float" }],
      rules: [rule],
    };
    await send(side, "/admin/v1/sites/s1", site, "PUT");
    // Ben is no user of the centre's.
    for (const email of side === world.centre ? people.slice(0, 1) : people) {
      await send(side, "/admin/v1/users", {
        ...{ organization: "o1", email, first_name: email.slice(0, 3), last_name: "Gil" },
      });
    }
  }
  return world;
}

async function send(side: TestService, path: string, body: unknown, method = "POST") {
  const answer = await side.fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok || answer.status === 409, `${path} ${await answer.clone().text()}`);
  return answer;
}

/** A line of numbers from a seed, each below `most`. */
function dice(seed: number): (most: number) => number {
  let state = seed * 2654435761 >>> 0;
  return (most) => {
    state = Math.imul(state ^ state >>> 15, 2246822519) + 374761393 >>> 0;
    return (state >>> 8) % most;
  };
}

async function idsOf({ services }: TestService): Promise<readonly string[]> {
  const rows = await services.database.read((it) =>
    queryRows<{ id: string }>(it, "SELECT occurrence_id AS id FROM occurrence ORDER BY id")
  );
  return rows.map(({ id }) => id);
}

/** Both the queue and the events, people by what both sides call them. */
async function stateOf({ services }: TestService): Promise<unknown> {
  const who = `coalesce("user".email, e.user_email)`;
  return await services.database.read(async (it) => ({
    alarms: await queryRows(
      it,
      `SELECT o.occurrence_id, status, resumes, shelved_until::VARCHAR AS until, resolution,
         cleared_at::VARCHAR AS cleared, coalesce("user".email, claimed_by) AS claimed,
         events_total
       FROM occurrence AS o LEFT JOIN "user" ON "user".id = claimed_by ORDER BY ALL`,
    ),
    events: await queryRows(
      it,
      `SELECT occurrence_id, event_id, type, kind, e.created_at::VARCHAR AS at, body, detail,
         ${who} AS who
       FROM occurrence_event AS e LEFT JOIN "user" ON "user".id = e.user_id ORDER BY ALL`,
    ),
  }));
}

async function actAt(side: TestService, id: string, roll: (most: number) => number) {
  const word = ["claim", "release", "shelve", "unshelve", "resolve", "reopen", "comment"][roll(7)];
  const until = new Date(side.clock.now_us / 1000 + 60_000 * (1 + roll(20))).toISOString();
  const said = {
    shelve: { until, reason: `later ${roll(9)}` },
    resolve: { note: `done ${roll(9)}` },
    comment: { body: `seen ${roll(99)}` },
  }[word] ?? {};
  const known = side.services.users.list();
  const user = known[roll(known.length)].email;
  const project = side.services.catalog.projects[0].id;
  await send(side, `/platform/v1/alarms/${id}/${word}?project_id=${project}`, { ...said, user });
}

/** Turns until nothing is left to tell. */
async function converge(world: Forwarding): Promise<void> {
  world.line = world.direct;
  world.advance(upstream_limits.retry_most_ms);
  for (let i = 0; i < 3; i++) {
    world.advance(upstream_limits.alarm_ms);
    await world.turn();
    await world.gateway.services.shelving.settle();
    await world.centre.services.shelving.settle();
  }
}

async function play(seed: number): Promise<number> {
  const world = await openShared();
  try {
    const { gateway, centre } = world;
    const roll = dice(seed);
    await world.turn();
    for (let step = 0; step < 40; step++) {
      world.advance(1_000 * (1 + roll(60)));
      const side = roll(2) === 0 ? gateway : centre;
      const kind = roll(10);
      if (kind < 3) {
        const ts = new Date(gateway.clock.now_us / 1000).toISOString();
        await world.send([{ tag: "a", ts, value: roll(2) === 0 ? 20 : 1 }]);
      } else if (kind < 8) {
        const ids = await idsOf(side);
        if (ids.length > 0) await actAt(side, ids[roll(ids.length)], roll);
      } else if (kind === 8) {
        await side.services.shelving.settle();
      }
      // The line: up, down, or it fails once the centre has all.
      const weather = roll(5);
      world.line = weather < 2
        ? world.direct
        : weather < 4
        ? () => Promise.reject(new TypeError("connection refused"))
        : async (request) => {
          await world.direct(request);
          throw new TypeError("connection reset");
        };
      if (roll(2) === 0) await world.turn();
    }
    await converge(world);
    const [here, there] = [await stateOf(gateway), await stateOf(centre)];
    assert.deepEqual(there, here, `seed ${seed}`);
    return (here as { events: readonly { type: string }[] }).events
      .filter(({ type }) => type === "not_applied").length;
  } finally {
    await world.close();
  }
}

Deno.test("whatever is done where and when, both sides end equal", async () => {
  let overtaken = 0;
  for (let seed = 1; seed <= 4; seed++) overtaken += await play(seed);
  assert.ok(overtaken > 0, "some actions were overtaken");
});

Deno.test("of two claims the earlier one holds, and the other says why it does not", async () => {
  const world = await openShared();
  try {
    const { gateway, centre } = world;
    await world.turn();
    await world.send([{ tag: "a", ts: "2026-06-01T12:00:00Z", value: 20 }]);
    await converge(world);
    const [id] = await idsOf(centre);
    world.line = () => Promise.reject(new TypeError("connection refused"));
    const at = "/platform/v1/alarms";
    await send(centre, `${at}/${id}/claim?project_id=centre-p1`, { user: people[0] });
    world.advance(5_000);
    await send(gateway, `${at}/${id}/claim?project_id=gateway-p1`, { user: people[1] });
    await converge(world);
    for (const side of [gateway, centre]) {
      const project_id = side.services.catalog.projects[0].id;
      const alarm = await (await side.fetch(`${at}/${id}?project_id=${project_id}`)).json();
      assert.equal(alarm.status, "claimed");
      const told = alarm.events.map((it: { type: string; user_email: string | null }) =>
        `${it.type} ${it.user_email}`
      );
      assert.deepEqual(told, [
        "raised null",
        "claimed ana@acme.example",
        "claimed ben@acme.example",
        "not_applied null",
      ]);
      assert.match(alarm.events[3].body, /^claimed: it is claimed already/);
    }
  } finally {
    await world.close();
  }
});
