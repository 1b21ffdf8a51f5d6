// Tests photos of issues and work orders: what is taken, kept, shown, refused and swept.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Photos } from "../../../src/engine/work/photo.ts";
import { work_limits } from "../../../src/model/work/limits.ts";
import { until } from "../../help/until.ts";
import { openWork } from "./work_help.ts";

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 4, 5);
const webp = new TextEncoder().encode("RIFF\x01\x02\x03\x04WEBPVP8 ");

type Shown = { readonly photo_id: string; readonly media_type: string; readonly size: number };

async function opened() {
  const data_dir = await Deno.makeTempDir();
  const work = await openWork({ settings: { data_dir } });
  const { data: issue } = await work.post("issues", { name: "I" });
  const path = `issues/${issue.id}/photos`;
  const send = (
    bytes: Uint8Array<ArrayBuffer>,
    { to = path, type = "image/png", as = work.as_anna } = {},
  ) =>
    work.fetch(work.at(to), {
      method: "POST",
      headers: { "content-type": type, authorization: `Bearer ${as}` },
      body: bytes,
    });
  const files = async () => {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(`${data_dir}/photos`)) names.push(name);
    return names;
  };
  const photos = async (of: string): Promise<Shown[]> =>
    (await work.get<{ photos: Shown[] }>(`${of}?include=photos`)).data.photos;
  return {
    ...{ ...work, issue, path, send, files, photos, data_dir },
    async close() {
      await work.close();
      await Deno.remove(data_dir, { recursive: true });
    },
  };
}

Deno.test("a photo is kept, listed where asked, shown and removed", async () => {
  const { send, path, issue, photos, files, get, at, fetch, remove, anna, close } = await opened();
  for (const bytes of [png, jpeg, webp]) equal((await send(bytes)).status, 201);
  const shown = await photos(`issues/${issue.id}`);
  deepEqual(shown.map(({ media_type, size }) => [media_type, size]), [
    ["image/png", png.length],
    ["image/jpeg", jpeg.length],
    ["image/webp", webp.length],
  ]);
  const names = ["photo_id", "media_type", "size", "created_by", "created_at", "to_come"];
  deepEqual(Object.keys(shown[0]), names);
  equal((shown[0] as unknown as { created_by: string }).created_by, anna.id);
  ok(!("photos" in (await get(`issues/${issue.id}`)).data), "only where it is asked for");
  const image = await fetch(at(`${path}/${shown[1].photo_id}`));
  deepEqual(await image.bytes(), jpeg);
  const header = (name: string) => image.headers.get(name);
  deepEqual(
    ["content-type", "content-disposition", "x-content-type-options"].map(header),
    ["image/jpeg", "inline", "nosniff"],
  );
  ok(header("cache-control")?.startsWith("private"));
  equal((await files()).length, 3);
  equal((await remove(`${path}/${shown[1].photo_id}`)).status, 200);
  equal((await remove(`${path}/${shown[1].photo_id}`)).status, 404);
  equal((await fetch(at(`${path}/${shown[1].photo_id}`))).status, 404);
  await until(async () => (await files()).length === 2, { what: "the file of the removed photo" });
  deepEqual((await files()).toSorted(), [shown[0].photo_id, shown[2].photo_id].toSorted());
  await close();
});

Deno.test("a work order has photos of its own", async () => {
  const { send, photos, post, issue, close } = await opened();
  const { data: order } = await post("work-orders", { issue_id: issue.id, title: "O" });
  equal((await send(png, { to: `work-orders/${order.id}/photos` })).status, 201);
  equal((await photos(`work-orders/${order.id}`)).length, 1);
  deepEqual(await photos(`issues/${issue.id}`), []);
  await close();
});

Deno.test("what is no image, too much, or not theirs to send is refused", async () => {
  const { send, path, files, tokenOf, issue, close } = await opened();
  equal((await send(new TextEncoder().encode("<script>"))).status, 415);
  equal((await send(png, { type: "image/svg+xml" })).status, 415);
  equal((await send(png, { to: "issues/none/photos" })).status, 404);
  equal((await send(png, { as: await tokenOf(["read"]) })).status, 403);
  equal((await send(new Uint8Array(work_limits.photo_bytes + 1))).status, 413);
  for (let i = 0; i < work_limits.photos; i++) equal((await send(png)).status, 201);
  equal((await send(png)).status, 409);
  equal((await files()).length, work_limits.photos, "nothing is left of what was refused");
  ok(path.includes(String(issue.id)));
  await close();
});

Deno.test("a start removes what was never committed, and nothing else", async () => {
  const { send, files, data_dir, services, close } = await opened();
  equal((await send(png)).status, 201);
  const [kept] = await files();
  const path = `${data_dir}/photos`;
  await Deno.writeFile(`${path}/019e0000-0000-7000-8000-000000000000`, png);
  await Deno.writeFile(`${path}/${kept}.new`, png);
  await Photos.open({ ...services, path });
  deepEqual(await files(), [kept]);
  const missing = await Photos.open({ ...services, path: `${data_dir}/none` });
  const owner = { kind: "issue", owner_id: "none", project_no: 1 } as const;
  await rejects(missing.get(owner, kept), { code: "not_found" });
  await close();
});
