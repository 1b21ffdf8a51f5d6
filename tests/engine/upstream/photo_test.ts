// Photos of a gateway and its centre: both ways, in parts, once, and gone with what they are of.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { work_limits } from "../../../src/model/work/limits.ts";
import type { TestService } from "../../help/service.ts";
import {
  add,
  bytesOf,
  is_photo,
  isSame,
  type Photo,
  photosOf,
  picture,
  requireOne,
  shareIssue,
  stateAt,
  withLine,
} from "./photo_help.ts";
import { ask, done, down, issues, orders, pass } from "./work_help.ts";

/** So much may be sent, in kbit/s, where there is a limit. */
const kbit = 128;

Deno.test("photos go up and down with what they are of, each byte and each photo once", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(
      ask(centre, issues, { name: "Fan", devices: [{ device_id: "inv1" }] }),
    );
    const path = `${issues}/${issue.id}`;
    const order = await done(ask(centre, orders, { issue_id: issue.id, title: "Change it" }));
    const from_centre = picture(40_000, 1);
    await add(centre, `${orders}/${order.id}`, from_centre);
    // It was taken before digests were kept.
    await centre.services.database.write(({ connection }) =>
      connection.script("UPDATE photo SET digest = NULL")
    );
    await pass(world);
    const [down_here] = await photosOf(gateway, `${orders}/${order.id}`);
    assert.equal(down_here.to_come, false);
    assert.ok(isSame(await bytesOf(gateway, `${orders}/${order.id}`, down_here), from_centre));
    // A technician without a line.
    world.line = down;
    const from_gateway = picture(3 * upstream_limits.photo_part_first, 2);
    const made = await done(ask(gateway, issues, { name: "Fence" }));
    await add(gateway, path, from_gateway);
    await add(gateway, `${issues}/${made.id}`, picture(10, 3));
    await pass(world);
    assert.equal((await stateAt(world, issue.id)).waiting, 1);
    let sent = 0;
    world.line = async (request) => {
      if (is_photo(request)) sent += (await request.clone().bytes()).length;
      return await world.direct(request);
    };
    await pass(world);
    assert.equal(sent, from_gateway.length + 10);
    assert.equal((await stateAt(world, issue.id)).waiting, 0);
    for (
      const [at, of] of [[path, from_gateway], [`${issues}/${made.id}`, picture(10, 3)]] as const
    ) {
      const shown = await photosOf(centre, at);
      assert.equal(shown.length, 1);
      assert.ok(isSame(await bytesOf(centre, at, shown[0]), of));
      assert.deepEqual(await photosOf(gateway, at), shown);
    }
    // Nothing goes twice.
    sent = 0;
    await pass(world);
    assert.equal(sent, 0);
  }));

Deno.test("a photo goes on where the line cut it off, and is known to come until then", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const { path } = await shareIssue(world);
    const [up, there] = [picture(200_000, 1), picture(200_000, 2)];
    const of_gateway = await add(gateway, path, up);
    const of_centre = await add(centre, path, there);
    let moved = 0;
    let parts = 0;
    world.line = async (request) => {
      if (is_photo(request)) {
        if (++parts % 3 === 0) return await down();
        moved += (await request.clone().bytes()).length;
        const answer = await world.direct(request);
        if (request.method === "GET") moved += (await answer.clone().bytes()).length;
        return answer;
      }
      return await world.direct(request);
    };
    await pass(world);
    for (const side of [gateway, centre]) {
      const shown = await photosOf(side, path);
      const coming = shown.filter(({ to_come }) => to_come);
      assert.deepEqual([shown.length, coming.length], [2, 1]);
      const [{ photo_id }] = coming;
      const answer = await side.fetch(`${path}/photos/${photo_id}?project_id=p1`);
      assert.equal(answer.status, 404);
      assert.match((await answer.json()).detail, /still to come/);
    }
    for (let i = 0; i < 20; i++) await pass(world);
    for (const side of [gateway, centre]) {
      assert.deepEqual((await photosOf(side, path)).map(({ to_come }) => to_come), [false, false]);
      assert.ok(isSame(await bytesOf(side, path, of_gateway), up));
      assert.ok(isSame(await bytesOf(side, path, of_centre), there));
    }
    assert.equal(moved, up.length + there.length, "no byte went twice");
  }));

Deno.test("what is live goes between the parts of a photo, which keep to the rate", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const made = await done(ask(gateway, issues, { name: "Fan" }));
    await add(gateway, `${issues}/${made.id}`, picture(120_000, 1));
    const came: string[] = [];
    let most = 0;
    world.line = async (request) => {
      const bytes = (await request.clone().bytes()).length;
      if (is_photo(request)) most = Math.max(most, bytes);
      came.push(is_photo(request) ? "p" : request.url.includes("/signals") ? "s" : "-");
      if (is_photo(request)) {
        await world.send([{ tag: "a", ts: "2026-06-01T11:59:00Z", value: came.length }]);
      }
      // A part takes less at the rate: what was sent before is paid for.
      world.advance(3_000);
      return await world.direct(request);
    };
    const isThere = async () => {
      const shown = await photosOf(centre, `${issues}/${made.id}`);
      return shown.length === 1 && !shown[0].to_come;
    };
    await pass(world);
    for (let i = 0; i < 20 && !await isThere(); i++) await pass(world);
    assert.ok(await isThere(), came.join(""));
    assert.ok(most <= kbit * upstream_limits.body_ms / 8, `${most} bytes at once`);
    const order = came.join("");
    assert.ok(order.split("p").length > 4 && order.split("s").length > 2, order);
    assert.ok(!order.includes("pppp"), order);
  }, { settings: { upstream_max_kbit: kbit } }));

Deno.test("a photo that is removed, at either side, goes at both, and does not come back", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const { issue, path } = await shareIssue(world);
    const first = await add(gateway, path, picture(100, 1));
    const second = await add(gateway, path, picture(100, 2));
    const third = await add(centre, path, picture(100, 3));
    await pass(world);
    const remove = (side: TestService, { photo_id }: Photo) =>
      done(ask(side, `${path}/photos/${photo_id}`, undefined, "DELETE"));
    world.line = down;
    await remove(gateway, first);
    await remove(centre, second);
    // Never told.
    await remove(gateway, await add(gateway, path, picture(100, 4)));
    world.line = world.direct;
    await pass(world);
    await requireOne(world, { path, photo: third });
    // A centre as a backup from before has it is told all again, and gets its own photo back.
    await centre.services.database.write(({ connection }) =>
      connection.script(
        "DELETE FROM issue; DELETE FROM issue_history; DELETE FROM work_change; " +
          "DELETE FROM work_place; DELETE FROM work_snapshot; DELETE FROM photo",
      )
    );
    for (let i = 0; i < 4; i++) await pass(world);
    await requireOne(world, { path, photo: third });
    assert.equal((await stateAt(world, issue.id)).waiting, 0);
  }));

Deno.test("a photo that the centre refuses is set aside, says why, and holds up nothing", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const [full, other] = [
      await done(ask(centre, issues, { name: "Fan" })),
      await done(ask(centre, issues, { name: "Fence" })),
    ];
    const path = `${issues}/${full.id}`;
    await pass(world);
    world.line = down;
    for (let i = 0; i < work_limits.photos; i++) await add(centre, path, picture(10, i));
    await add(gateway, path, picture(10, 99));
    const damaged = await add(gateway, `${issues}/${other.id}`, picture(500, 100));
    await add(gateway, `${issues}/${other.id}`, picture(10, 101));
    const spoil = (digest: string) =>
      gateway.services.database.write(({ connection }) =>
        connection.script(
          "UPDATE work_change SET body = json_merge_patch(body, " +
            `'{"added": {"digest": "${digest}"}}') WHERE id = '${damaged.photo_id}'`,
        )
      );
    await spoil("0".repeat(64));
    world.line = world.direct;
    await pass(world);
    const state = await stateAt(world, full.id);
    assert.equal(state.waiting, 1);
    assert.match(String(state.refused), /there are 50 photos already/);
    assert.match(String((await stateAt(world, other.id)).refused), /damaged/);
    const there = await photosOf(centre, `${issues}/${other.id}`);
    assert.deepEqual(there.map(({ to_come }) => to_come), [true, false]);
    assert.equal((await photosOf(gateway, path)).length, work_limits.photos + 1);
    // Once there is room, it is taken.
    const [{ photo_id }] = await photosOf(centre, path);
    await done(ask(centre, `${path}/photos/${photo_id}`, undefined, "DELETE"));
    await pass(world, upstream_limits.work_aside_ms);
    await pass(world);
    assert.equal((await stateAt(world, full.id)).waiting, 0);
    assert.deepEqual(await photosOf(gateway, path), await photosOf(centre, path));
  }));
