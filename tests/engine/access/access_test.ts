// Tokens: made, verified, ended, limited; their text and their use.
import assert from "node:assert/strict";
import fc from "fast-check";
import { sha256Hex } from "../../../src/base/digest.ts";
import { Fault } from "../../../src/base/fault.ts";
import { limits } from "../../../src/base/limits.ts";
import { access_limits } from "../../../src/model/access/limits.ts";
import { Access, type TokenRequest } from "../../../src/engine/access/access.ts";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { applySite } from "../../../src/engine/site/site.ts";
import { Users } from "../../../src/engine/access/user.ts";
import { checkTokenRequest } from "../../../src/engine/access/token_request.ts";
import { allows, type Grant, reaches, tokenText } from "../../../src/model/access/token.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { follow_nothing } from "../../help/site.ts";
import { queryRows, runQuery } from "../../help/query.ts";

async function opened() {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const access = await Access.open({ database, effects });
  return { database, effects, clock, access, reopened: () => Access.open({ database, effects }) };
}

const reader: TokenRequest = {
  name: "reader",
  organization_id: "o",
  project_ids: ["p"],
  scopes: ["read"],
  expires_at: null,
};

Deno.test("the first start makes an administrator's token, once", async () => {
  const { access, reopened, database } = await opened();
  const grant = access.verify(access.first_token!)!;
  assert.deepEqual([grant.organization_id, grant.project_ids, grant.scopes], [null, null, [
    "admin",
  ]]);
  assert.equal(allows(grant, "ingest"), true);
  const again = await reopened();
  assert.equal(again.first_token, undefined);
  assert.equal(again.verify(access.first_token!)?.token_id, grant.token_id);
  await again.revoke(grant.token_id);
  assert.equal((await reopened()).first_token, undefined);
  await database.close();
});

Deno.test("so many tokens can be used at most, whoever makes them at once", async () => {
  const { access: first, clock, database, reopened } = await opened();
  await database.write(({ connection }) =>
    runQuery(
      connection,
      "INSERT INTO token BY NAME SELECT 't' || i AS id, 'd' || i AS digest, " +
        "token.* EXCLUDE (id, digest, expires_at), $ends::BIGINT AS expires_at " +
        "FROM token, range($count::INTEGER) AS t(i)",
      { ends: clock.now_us + 60_000_000, count: access_limits.tokens - 3 },
    )
  );
  const access = await reopened();
  assert.ok(access.verify(first.first_token!));
  const made = async (count: number) =>
    (await Promise.allSettled(Array.from({ length: count }, () => access.create(reader))))
      .filter(({ status }) => status === "fulfilled").length;
  assert.equal(await made(20), 2, "of those made at once, as many as there is room for");
  clock.advance(60_000);
  assert.equal(await made(5), 5, "expired ones take no room");
  await database.close();
});

Deno.test("of a token's text only a digest is stored, and neither is listed", async () => {
  const { access, database } = await opened();
  const { token, id } = await access.create(reader);
  const [row] = await database.read((connection) =>
    queryRows(connection, "SELECT digest, token::VARCHAR AS whole FROM token WHERE name = 'reader'")
  );
  assert.equal(row.digest, sha256Hex(token));
  assert.equal(String(row.whole).includes(token), false);
  const listed = JSON.stringify(access.list());
  assert.equal(listed.includes(token) || listed.includes(sha256Hex(token)), false);
  assert.ok(listed.includes(id));
  await database.close();
});

Deno.test("a token says what it reaches, after a restart too", async () => {
  const { access, reopened, database } = await opened();
  const { token } = await access.create(reader);
  for (const held of [access, await reopened()]) {
    const grant = held.verify(token)!;
    assert.equal(allows(grant, "read"), true);
    assert.equal(allows(grant, "ingest"), false);
    assert.equal(reaches(grant, { id: "p", organization_id: "o" }), true);
    assert.equal(reaches(grant, { id: "q", organization_id: "o" }), false);
    assert.equal(reaches(grant, { id: "p", organization_id: "x" }), false);
  }
  const { token: wide } = await access.create({
    ...reader,
    project_ids: null,
    scopes: ["read", "sync"],
  });
  const grant = (await reopened()).verify(wide)!;
  assert.deepEqual([grant.project_ids, grant.scopes], [null, ["read", "sync"]]);
  await database.close();
});

Deno.test("what is no token is none", async () => {
  const { access, database } = await opened();
  const { token } = await access.create(reader);
  for (
    const text of [
      "",
      "wk_",
      token.slice(0, -1),
      token + "0",
      token.toLowerCase(),
      "é\u0000",
      "x".repeat(1e5),
    ]
  ) {
    assert.equal(access.verify(text), undefined);
  }
  await database.close();
});

Deno.test("a token ends at its expiry by the clock, and at once when revoked", async () => {
  const { access, clock, reopened, database } = await opened();
  const { token } = await access.create({ ...reader, expires_at: clock.now_us + 1000 });
  const { token: other, id } = await access.create(reader);
  assert.ok(access.verify(token));
  clock.advance(1);
  assert.equal(access.verify(token), undefined);
  assert.ok(access.verify(other));
  const revoked = await access.revoke(id);
  assert.equal(revoked?.revoked_at, clock.now_us);
  clock.advance(1);
  assert.deepEqual((await access.revoke(id))?.revoked_at, revoked?.revoked_at);
  assert.equal(await access.revoke("unknown"), undefined);
  for (const held of [access, await reopened()]) assert.equal(held.verify(other), undefined);
  await database.close();
});

Deno.test("last use is stored now and then, not with every request", async () => {
  const { access, clock, reopened, database } = await opened();
  const { token, id } = await access.create(reader);
  const lastUse = async () =>
    (await reopened()).list().find((info) => info.id === id)?.last_used_at;
  for (let i = 0; i < 100; i++) access.verify(token);
  const before = database.committed_us;
  assert.equal(access.list().find((info) => info.id === id)?.last_used_at, clock.now_us);
  assert.deepEqual([await lastUse(), database.committed_us], [null, before]);
  clock.step(-400 * 86_400_000);
  clock.advance(access_limits.token_use_flush_ms);
  access.verify(token);
  await database.write(() => Promise.resolve());
  assert.equal(await lastUse(), clock.now_us);
  access.verify(token);
  await access.flush();
  await access.flush();
  assert.equal(await lastUse(), clock.now_us);
  await database.close();
});

Deno.test("a token has 43 digits of base62, and no two byte strings make the same", () => {
  const edge = (byte: number) => tokenText(new Uint8Array(32).fill(byte));
  assert.equal(edge(0), "wk_" + "0".repeat(43));
  assert.match(edge(255), /^wk_[0-9A-Za-z]{43}$/);
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(fc.property(bytes, bytes, (a, b) => {
    const [one, other] = [tokenText(a), tokenText(b)];
    assert.match(one, /^wk_[0-9A-Za-z]{43}$/);
    assert.equal(one === other, a.every((byte, i) => byte === b[i]));
  }));
});

Deno.test("SHA-256 is that of FIPS 180-4", () => {
  assert.equal(
    sha256Hex("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

/** Requests for tokens on a plant of the projects a/one, a/two and b/one. */
async function requests() {
  const { database, effects } = await opened();
  const catalog = await Catalog.load(database);
  const roll = { markStale: () => Promise.resolve(), wake() {} };
  for (const [organization, project] of [["a", "one"], ["a", "two"], ["b", "one"]]) {
    await applySite({ database, catalog, roll, effects, follow: follow_nothing }, {
      version: 1,
      organization: { key: organization, name: organization },
      project: { key: project, name: project, timezone: "UTC" },
      site: { key: `${organization}-${project}`, name: "S", latitude: 0, longitude: 0 },
    }, { dry_run: false });
  }
  const admin: Grant = {
    token_id: "t",
    name: "t",
    organization_id: null,
    project_ids: null,
    scopes: ["admin"],
    user_id: null,
  };
  const users = await Users.open({ database, catalog, effects });
  const check = (more: object, grant?: Partial<Grant>) =>
    checkTokenRequest({ name: "n", scopes: ["read"], ...more }, {
      catalog,
      users,
      now_us: effects.now_us(),
      grant: grant && { ...admin, ...grant },
    });
  return { database, catalog, users, check };
}

Deno.test("a token's name is a text that every log and format keeps as it is", async () => {
  const { database, check } = await requests();
  for (const name of ["", "a\0b", "a\r\nb", "\ud800", "x".repeat(limits.name_length + 1)]) {
    assert.throws(() => check({ name }), { code: "invalid" }, JSON.stringify(name));
  }
  assert.equal(check({ name: "Ölmühle 1" }).name, "Ölmühle 1");
  await database.close();
});

Deno.test("a token's organization and projects go by id or key", async () => {
  const { database, catalog, check } = await requests();
  const [a, b] = catalog.organizations;
  const [one, two, other] = catalog.projects;
  const placeOf = (...given: Parameters<typeof check>) => {
    const { organization_id, project_ids } = check(...given);
    return [organization_id, project_ids];
  };
  assert.deepEqual(placeOf({}), [null, null]);
  assert.deepEqual(placeOf({ organization: "a" }), [a.id, null]);
  assert.deepEqual(placeOf({ organization: a.id, projects: ["one"] }), [a.id, [one.id]]);
  assert.deepEqual(placeOf({ projects: [other.id] }), [b.id, [other.id]]);
  assert.deepEqual(placeOf({}, { organization_id: a.id }), [a.id, null]);
  const bound = { organization_id: a.id, project_ids: [two.id] };
  assert.deepEqual(placeOf({}, bound), [a.id, [two.id]]);
  const ends = check({ expires_at: "2027-01-01T00:00:00+01:00" }).expires_at;
  assert.equal(ends, Date.UTC(2026, 11, 31, 23) * 1000);
  await database.close();
});

Deno.test("a wrong request for a token names its flaws, a wider one is refused", async () => {
  const { database, catalog, check } = await requests();
  const [{ id: organization_id }] = catalog.organizations;
  const [one, , other] = catalog.projects;
  const fault = (code: string, path: string, ...given: Parameters<typeof check>) =>
    assert.throws(() => check(...given), (error: unknown) => {
      assert.ok(error instanceof Fault && error.code === code, String(error));
      return path === "" || error.flaws.some((flaw) => flaw.path === path);
    });
  fault("invalid", "projects[0]", { projects: ["one"] });
  fault("invalid", "projects[0]", { projects: ["none"] });
  fault("invalid", "projects", { projects: [one.id, other.id] });
  fault("invalid", "organization", { organization: "none" });
  fault("invalid", "scopes[0]", { scopes: ["reed"] });
  fault("invalid", "scopes", { scopes: [] });
  fault("invalid", "name", { name: "" });
  fault("invalid", "expires_at", { expires_at: "2026-01-01T00:00:00Z" });
  fault("invalid", "expires_at", { expires_at: "2027-01-01" });
  fault("forbidden", "", { organization: "b" }, { organization_id });
  fault("forbidden", "", { organization: "none" }, { organization_id });
  fault("forbidden", "", { projects: ["two"] }, { organization_id, project_ids: [one.id] });
  await database.close();
});

Deno.test("a token's user goes by id or e-mail, and acts in one organization only", async () => {
  const { database, catalog, users, check } = await requests();
  const [a] = catalog.organizations;
  const add = (organization: string, email: string) =>
    users.create({ organization, email, first_name: "Anna", last_name: "Ruiz" });
  const anna = await add("a", "Anna@a.test");
  const both = [await add("a", "both@x.test"), await add("b", "both@x.test")];
  const made = check({ user: "anna@A.TEST" });
  assert.deepEqual([made.user_id, made.organization_id], [anna.id, a.id]);
  assert.equal(check({ user: anna.id, projects: [catalog.projects[0].id] }).user_id, anna.id);
  assert.equal(check({ user: "both@x.test", organization: "b" }).user_id, both[1].id);
  const refused = (more: object, message: RegExp) =>
    assert.throws(() => check(more), (error: Fault) => {
      assert.equal(error.flaws[0].path, "user");
      return message.test(error.flaws[0].message) && !JSON.stringify(error.flaws).includes("@");
    });
  refused({ user: "both@x.test" }, /which organization/);
  refused({ user: "anna@a.test", organization: "b" }, /no user who can act/);
  refused({ user: "nobody@a.test" }, /no user who can act/);
  assert.throws(() => check({ user: both[1].id }, { organization_id: a.id }), { code: "invalid" });
  await users.disable(anna.id);
  refused({ user: anna.id }, /no user who can act/);
  assert.equal(check({}).user_id, undefined);
  await database.close();
});
