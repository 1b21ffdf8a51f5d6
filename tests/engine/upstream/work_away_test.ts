// A gateway that was away hears in several answers, and of what others said late: it ends equal.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import type { WorkExchanged } from "../../../src/model/upstream/work.ts";
import {
  ask,
  changeOf,
  done,
  down,
  exchange,
  issues,
  month,
  pass,
  type Said,
  shared_issue,
  stateOf,
  withLine,
} from "./work_help.ts";

/** More issues than one answer has room for, in the order in which they are folded and told. */
const many = Array.from({ length: upstream_limits.work_changes + 20 }, (_, i) => `!${1000 + i}`);

Deno.test("what is heard in several answers takes nothing back, at either side", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const tellAll = async (changes: readonly unknown[]) => {
      for (const part of [changes.slice(0, 300), changes.slice(300)]) {
        const told = exchange(world, "other", { changes: part });
        assert.deepEqual((await done<WorkExchanged>(told)).refused, []);
      }
    };
    await tellAll(many.map((id) => changeOf(id, { made: shared_issue })));
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    const path = `${issues}/${issue.id}`;
    await pass(world);
    // Away for a month: all of the centre's changes are folded, and more than an answer holds.
    world.line = down;
    await done(ask(gateway, path, { description: "Seen" }, "PATCH"));
    await done(ask(centre, path, { name: "Fan is loud" }, "PATCH"));
    await tellAll(many.map((id) =>
      changeOf(`${id}c`, {
        ...{ owner_id: id, order_us: 2 },
        fields: [{ field: "name", before: "Fence", after: "Gate" }],
      })
    ));
    await month(world);
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    assert.equal((await done(ask(gateway, path))).description, "Seen");
    // Away for long: the centre forgot who it is, and what it took from it does not come again.
    await done(ask(gateway, path, { priority: "low" }, "PATCH"));
    await pass(world);
    world.line = down;
    await done(ask(centre, path, { priority: "medium" }, "PATCH"));
    await month(world, upstream_limits.work_reader_us);
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.equal((await done(ask(centre, path))).priority, "medium");
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const told = await done<Said[]>(ask(centre, `${path}/history`));
    assert.deepEqual(told.filter(({ kind }) => kind === "conflict"), []);
  }));

Deno.test("what came late to the centre and was folded there is heard by who was away", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    const path = `${issues}/${issue.id}`;
    await done(ask(centre, path, { name: "Fan is loud" }, "PATCH"));
    await pass(world);
    await month(world);
    await pass(world);
    world.line = down;
    const late = changeOf("c1", {
      ...{ owner_id: issue.id, order_us: 2 },
      fields: [{ field: "description", before: null, after: "Seen long ago" }],
    });
    const told = exchange(world, "other", { changes: [late] });
    assert.deepEqual((await done<WorkExchanged>(told)).refused, []);
    await month(world);
    world.line = world.direct;
    await pass(world);
    assert.equal((await done(ask(gateway, path))).description, "Seen long ago");
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));
