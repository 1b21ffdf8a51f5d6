// Users over HTTP: made, changed, disabled, seen by whom the organization is whole to.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { tokenRoutes, userRoutes } from "../../../src/http/access/access.ts";
import { openFrame, testRoute } from "../../help/frame.ts";

const anna = { email: "Anna.Ruiz@plant.test", first_name: "Anna", last_name: "Ruiz" };

async function opened() {
  const frame = await openFrame((services) => [
    ...tokenRoutes(services),
    ...userRoutes(services),
    testRoute({ scope: "operate" }),
  ]);
  const send = async (
    method: string,
    path: string,
    options: { body?: unknown; as?: string } = {},
  ) => {
    const { body, as = frame.admin } = options;
    const response = await frame.fetch(path, {
      method,
      headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
      body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, data: JSON.parse(text) };
  };
  const manager = (organization_id: string, project_ids: string[] | null = null) =>
    frame.token({ scopes: ["manage"], organization_id, project_ids });
  return { ...frame, send, manager };
}

const path = "/admin/v1/users";

Deno.test("a user is made, listed, changed, disabled and enabled again", async () => {
  const { send, manager, clock, close } = await opened();
  const as = await manager("org-a");
  const made = await send("POST", path, { body: anna, as });
  equal(made.status, 201);
  const { id, ...rest } = made.data;
  match(id, /^[0-9a-f-]{36}$/);
  const created_at = "2026-06-01T12:00:00.000000Z";
  const rights = { scopes: [], project_ids: null };
  deepEqual(rest, { organization_id: "org-a", ...anna, created_at, disabled_at: null, ...rights });
  deepEqual((await send("GET", path, { as })).data, { users: [made.data] });
  clock.advance(1000);
  const one = `${path}/${id}`;
  const gone = await send("DELETE", one, { as });
  deepEqual(gone.data, { ...made.data, disabled_at: "2026-06-01T12:00:01.000000Z" });
  clock.advance(1000);
  deepEqual((await send("DELETE", one, { as })).data, gone.data);
  const married = { ...anna, email: "anna.ruiz@plant.test", last_name: "Ruiz Vega" };
  const changed = await send("PUT", one, { body: married, as });
  deepEqual([changed.status, changed.data], [200, { ...made.data, ...married }]);
  const off = await send("PUT", one, { body: { ...married, disabled: true }, as });
  equal(off.data.disabled_at, "2026-06-01T12:00:02.000000Z");
  await close();
});

Deno.test("an address is unique in its organization whatever the case of its letters", async () => {
  const { send, close } = await opened();
  const post = (more: object) => send("POST", path, { body: { ...anna, ...more } });
  equal((await post({ organization: "a" })).status, 201);
  const twin = await post({ organization: "org-a", email: "ANNA.ruiz@Plant.test" });
  deepEqual([twin.status, twin.data.errors[0].path], [409, "email"]);
  ok(!/plant.test/i.test(twin.text));
  equal((await post({ organization: "b" })).status, 201);
  const other = await post({ organization: "a", email: "b@plant.test" });
  const put = await send("PUT", `${path}/${other.data.id}`, { body: anna });
  equal(put.status, 409);
  const both = await Promise.all([1, 2].map(() => post({ organization: "a", email: "c@x.test" })));
  deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  await close();
});

Deno.test("a bad user gets a flaw for each mistake, none repeats the address", async () => {
  const { send, close } = await opened();
  const flaws = async (body: unknown) => {
    const { status, data, text } = await send("POST", path, { body });
    equal(status, 400, JSON.stringify(body));
    ok(!text.includes("secret"));
    return (data.errors ?? []).map((it: { path: string }) => it.path);
  };
  const good = { ...anna, organization: "a" };
  const wrong = ["", "secret", "secret@", "@secret.test", "a secret@x.test", "secret@x\0.t"];
  for (const email of wrong) {
    deepEqual([...new Set(await flaws({ ...good, email }))], ["email"], email);
  }
  deepEqual(await flaws({ ...good, email: `${"x".repeat(250)}@secret.test` }), ["email"]);
  deepEqual(await flaws({ ...good, first_name: "x".repeat(201) }), ["first_name"]);
  deepEqual(await flaws({ ...good, mail: "secret@x.test" }), ["mail"]);
  deepEqual(await flaws({ email: 7, organization: "a" }), ["email", "first_name", "last_name"]);
  deepEqual(await flaws(anna), ["organization"]);
  deepEqual(await flaws({ ...good, organization: "nowhere" }), ["organization"]);
  for (const body of ["{", "null", "[]", "7"]) await flaws(body);
  await close();
});

Deno.test("who does not reach a whole organization learns nothing of its users", async () => {
  const { send, manager, token, close } = await opened();
  const { data: made } = await send("POST", path, { body: { ...anna, organization: "a" } });
  for (const as of [await manager("org-b"), await manager("org-a", ["project-1"])]) {
    deepEqual((await send("GET", path, { as })).data, { users: [] });
    equal((await send("POST", path, { body: { ...anna, organization: "a" }, as })).status, 403);
    equal((await send("POST", path, { body: { ...anna, organization: "zz" }, as })).status, 403);
    const asked = ["0000", made.id].map(async (id) => {
      const answers = [
        await send("DELETE", `${path}/${id}`, { as }),
        await send("PUT", `${path}/${id}`, { body: anna, as }),
        await send("PUT", `${path}/${id}`, { body: {}, as }),
      ];
      return answers.map(({ status, data }) => [status, data.detail.replaceAll(id, "ID")]);
    });
    const [unknown, foreign] = await Promise.all(asked);
    deepEqual(foreign, unknown);
    equal(foreign[0][0], 404);
  }
  const reader = await token({ scopes: ["read", "operate"], organization_id: "org-a" });
  equal((await send("GET", path, { as: reader })).status, 403);
  await close();
});

Deno.test("a user's token ends with the user's disabling and returns with the user", async () => {
  const { send, close } = await opened();
  const { data: user } = await send("POST", path, { body: { ...anna, organization: "a" } });
  const request = { name: "phone", scopes: ["operate"], user: "anna.ruiz@PLANT.test" };
  const { data: made } = await send("POST", "/admin/v1/tokens", { body: request });
  const { data: { tokens } } = await send("GET", "/admin/v1/tokens");
  const listed = tokens.find((it: { token_id: string }) => it.token_id === made.token_id);
  deepEqual([listed.user_id, listed.organization_id], [user.id, "org-a"]);
  const call = async (project: string) =>
    (await send("GET", `/test?project_id=${project}`, { as: made.token })).status;
  deepEqual([await call("project-1"), await call("project-3")], [200, 403]);
  await send("DELETE", `${path}/${user.id}`);
  equal(await call("project-1"), 401);
  await send("PUT", `${path}/${user.id}`, { body: anna });
  equal(await call("project-1"), 200);
  const { status, data } = await send("POST", "/admin/v1/tokens", {
    body: { ...request, user: "nobody@plant.test" },
  });
  deepEqual([status, data.errors[0].path], [400, "user"]);
  ok(!JSON.stringify(data).includes("nobody@"));
  await close();
});

Deno.test("a user gets scopes and projects, and loses what a change does not say", async () => {
  const { send, manager, close } = await opened();
  const as = await manager("org-a");
  const wanted = { ...anna, scopes: ["manage"], projects: ["one", "project-2"] };
  const made = await send("POST", path, { body: wanted, as });
  deepEqual(
    [made.status, made.data.scopes, made.data.project_ids],
    [201, ["manage"], ["project-1", "project-2"]],
  );
  const one = `${path}/${made.data.id}`;
  const { data } = await send("PUT", one, { body: { ...anna, scopes: ["manage"] }, as });
  deepEqual([data.scopes, data.project_ids], [["manage"], null]);
  deepEqual((await send("PUT", one, { body: anna, as })).data.scopes, []);
  deepEqual((await send("GET", path, { as })).data.users[0].scopes, []);
  for (const [key, value] of [["scopes", ["reed"]], ["projects", ["three"]], ["projects", []]]) {
    const wrong = await send("PUT", one, { body: { ...anna, [String(key)]: value }, as });
    deepEqual([wrong.status, /^(scopes|projects)/.test(wrong.data.errors[0].path)], [400, true]);
  }
  await close();
});

Deno.test("nobody gives more than they may do, nor changes a user who may do more", async () => {
  const { send, manager, close } = await opened();
  const as = await manager("org-a");
  const post = (scopes: string[]) => send("POST", path, { body: { ...anna, scopes }, as });
  for (const scopes of [["read"], ["manage", "admin"]]) equal((await post(scopes)).status, 403);
  const chief = { ...anna, scopes: ["admin"] };
  const { data: made } = await send("POST", path, { body: { ...chief, organization: "a" } });
  const one = `${path}/${made.id}`;
  equal((await send("PUT", one, { body: { ...anna, email: "mine@x.test" }, as })).status, 403);
  equal((await send("DELETE", one, { as })).status, 403);
  deepEqual((await send("GET", path, { as })).data.users, [made]);
  await close();
});
