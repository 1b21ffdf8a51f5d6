// Photos of a gateway and its centre where a side lost files or its log, or may have none.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { photosPath } from "../../../src/store/folder.ts";
import { queryRows } from "../../help/query.ts";
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
import { ask, done, down, issues, month, pass, siteOf } from "./work_help.ts";

function script({ services }: TestService, sql: string): Promise<void> {
  return services.database.write(({ connection }) => connection.script(sql));
}

/** Where a side has the bytes of a photo. */
function fileOf({ services }: TestService, { photo_id }: Photo): string {
  return `${photosPath(services.settings)}/${photo_id}`;
}

Deno.test("a centre that lost the bytes of a photo alone, as by a backup, gets them again", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const { issue, path } = await shareIssue(world);
    const photo = await add(gateway, path, picture(500, 1));
    await pass(world);
    await pass(world);
    await requireOne(world, { path, photo });
    // A backup that was made while the photo was on its way; nothing else was changed since.
    await script(centre, "UPDATE photo SET is_here = false");
    await Deno.remove(fileOf(centre, photo));
    for (let i = 0; i < 2; i++) await pass(world);
    await requireOne(world, { path, photo });
    assert.equal((await stateAt(world, issue.id)).waiting, 0);
  }));

Deno.test("a photo that was removed while nobody shared the project does not come back", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const { issue, path } = await shareIssue(world);
    const photo = await add(gateway, path, picture(500, 1));
    for (let i = 0; i < 2; i++) await pass(world);
    await requireOne(world, { path, photo });
    world.line = down;
    await month(world, upstream_limits.work_reader_us);
    await done(ask(centre, `${path}/photos/${photo.photo_id}`, undefined, "DELETE"));
    world.line = world.direct;
    for (let i = 0; i < 3; i++) await pass(world);
    for (const side of [gateway, centre]) assert.deepEqual(await photosOf(side, path), []);
    assert.equal((await stateAt(world, issue.id)).waiting, 0);
  }));

Deno.test("nothing is told of photos of what was deleted before it was shared", () =>
  withLine(async (world) => {
    const { gateway } = world;
    const issue = await done(ask(gateway, issues, { name: "Fan" }));
    await add(gateway, `${issues}/${issue.id}`, picture(10, 1));
    gateway.services.work.has_centre = false;
    await done(ask(gateway, `${issues}/${issue.id}`, undefined, "DELETE"));
    gateway.services.work.has_centre = true;
    for (let i = 0; i < 2; i++) await pass(world);
    const waiting = await gateway.services.database.read((it) =>
      queryRows(it, "SELECT id, reason FROM work_change WHERE told_at IS NULL")
    );
    assert.deepEqual(waiting, []);
  }));

Deno.test("photos from before a project was shared are told of some in each write, all once", () =>
  withLine(async ({ gateway }) => {
    const { work, catalog } = gateway.services;
    work.has_centre = false;
    const issue = await done(ask(gateway, issues, { name: "Fan" }));
    const { photo_id } = await add(gateway, `${issues}/${issue.id}`, picture(10, 1));
    const more = 2 * upstream_limits.work_share;
    await script(
      gateway,
      `UPDATE photo SET digest = 'd';
      INSERT INTO photo SELECT photo.* REPLACE (id || i AS id)
        FROM photo, range(${more}) AS more(i) WHERE id = '${photo_id}'`,
    );
    work.has_centre = true;
    const told: string[][] = [];
    const keepPhotos = work.keepPhotos.bind(work);
    work.keepPhotos = (write, rows) => {
      told.push(rows.map(({ id }) => id));
      return keepPhotos(write, rows);
    };
    await work.share(catalog.projects[0]);
    const { work_share } = upstream_limits;
    assert.deepEqual(told.map(({ length }) => length), [work_share, work_share, 1]);
    assert.equal(new Set(told.flat()).size, more + 1);
  }));

Deno.test("a photo whose file is damaged costs no bytes, and goes once the file is put back", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const { issue, path } = await shareIssue(world);
    const [up, there] = [picture(5_000, 1), picture(5_000, 2)];
    const own = { side: gateway, bytes: up, photo: await add(gateway, path, up) };
    const theirs = { side: centre, bytes: there, photo: await add(centre, path, there) };
    for (const { side, photo } of [own, theirs]) {
      await Deno.writeFile(fileOf(side, photo), picture(4_000, 9));
    }
    let moved = 0;
    world.line = async (request) => {
      const answer = await world.direct(request.clone());
      if (is_photo(request)) moved += (await request.bytes()).length;
      if (is_photo(request) && request.method === "GET" && answer.ok) {
        moved += (await answer.clone().bytes()).length;
      }
      return answer;
    };
    for (let i = 0; i < 3; i++) await pass(world, upstream_limits.work_aside_ms);
    assert.equal(moved, 0);
    assert.match(String((await stateAt(world, issue.id)).refused), /damaged|bytes, and is to have/);
    for (const { side, photo, bytes } of [own, theirs]) {
      await Deno.writeFile(fileOf(side, photo), bytes);
    }
    for (let i = 0; i < 2; i++) await pass(world, upstream_limits.work_aside_ms);
    assert.equal(moved, up.length + there.length);
    for (const side of [gateway, centre]) {
      for (const { photo, bytes } of [own, theirs]) {
        assert.ok(isSame(await bytesOf(side, path, photo), bytes));
      }
    }
  }));

Deno.test("a photo that the centre waits for is asked for less and less, and not sent back", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const { issue, path } = await shareIssue(world);
    const photo = await add(centre, path, picture(100, 1));
    await script(centre, "UPDATE photo SET is_here = false");
    await Deno.remove(fileOf(centre, photo));
    let asked = 0;
    world.line = async (request) => {
      if (is_photo(request)) asked++;
      return await world.direct(request);
    };
    for (let i = 0; i < 60; i++) await pass(world);
    assert.ok(asked > 2 && asked < 8, `${asked} times in half an hour`);
    // A centre as a backup from before knows nothing of it; its bytes are at neither side.
    await script(
      centre,
      "DELETE FROM issue; DELETE FROM issue_history; DELETE FROM work_change; " +
        "DELETE FROM work_place; DELETE FROM work_snapshot; DELETE FROM photo",
    );
    for (let i = 0; i < 4; i++) await pass(world);
    assert.equal((await stateAt(world, issue.id)).refused, null);
    for (const side of [gateway, centre]) {
      assert.deepEqual((await photosOf(side, path)).map((it) => [it.photo_id, it.to_come]), [
        [photo.photo_id, true],
      ]);
    }
  }));

Deno.test("photos of what is at another gateway's site can't be read, only sent from before", () =>
  withLine(async ({ centre }) => {
    await done(ask(centre, "/admin/v1/sites/s2", siteOf("s2", ["x1"]), "PUT"));
    await script(centre, "INSERT INTO site_gateway VALUES (1, 's2', 'south')");
    const at = (device_id: string) => ({ devices: [{ device_id }] });
    const fuse = await done(ask(centre, issues, { name: "Fuse", ...at("x1") }));
    const fan = await done(ask(centre, issues, { name: "Fan", ...at("inv1") }));
    const { token } = await centre.services.access.create({
      ...{ name: "north", organization_id: "o1", project_ids: ["centre-p1"], scopes: ["sync"] },
      expires_at: null,
    });
    // Places are noted where a project is shared.
    await centre.services.work.share(centre.services.catalog.projects[0]);
    const statuses = ({ photo_id }: Photo) =>
      Promise.all(["GET", "POST"].map(async (method) => {
        const more = method === "GET" ? "&bytes=3" : "";
        const path = `/ingest/v1/gateways/photos?project_id=centre-p1&id=${photo_id}&from=0`;
        const answer = await centre.fetch(path + more, {
          ...{ method, ...method === "POST" && { body: new Uint8Array() } },
          headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
        });
        return answer.status;
      }));
    assert.deepEqual(
      await statuses(await add(centre, `${issues}/${fuse.id}`, picture(9, 1))),
      [404, 404],
    );
    const moves = await add(centre, `${issues}/${fan.id}`, picture(9, 2));
    assert.deepEqual(await statuses(moves), [200, 200]);
    await done(ask(centre, `${issues}/${fan.id}`, at("x1"), "PATCH"));
    assert.deepEqual(await statuses(moves), [404, 200]);
  }));
