// What shards tell each other: who may do what, and which projects there are.
import { deepEqual, equal } from "node:assert/strict";
import { adoptTold, allTold, toldBy } from "../../../src/engine/fleet/told.ts";
import { home_shard, organizationId } from "../../../src/model/fleet/shard.ts";
import { type TestService, testService } from "../../help/service.ts";

const siteOf = (project: string) => ({
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: project, name: "P", timezone: "UTC" },
  site: { key: `s-${project}`, name: "S", latitude: 0, longitude: 0 },
});

async function apply(service: TestService, project: string): Promise<void> {
  const put = await service.fetch(`/admin/v1/sites/s-${project}`, {
    method: "PUT",
    body: JSON.stringify(siteOf(project)),
    headers: { "content-type": "application/json" },
  });
  equal(put.status, 200, await put.text());
}

const askWith = async (service: TestService, token: string, path: string) => {
  const response = await service.ask(path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: await response.json() };
};

Deno.test("who manages an organization makes a project in a shard without it", async () => {
  const service = await testService();
  Object.assign(service.services, { organizationId });
  const putWith = async (organization_id: string) => {
    const { token } = await service.services.access.create({
      ...{ name: "of it", organization_id, project_ids: null },
      ...{ scopes: ["admin"], expires_at: null },
    });
    const put = await service.ask("/admin/v1/sites/s-p1", {
      ...{ method: "PUT", body: JSON.stringify(siteOf("p1")) },
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
    await put.body?.cancel();
    return put.status;
  };
  equal(await putWith(organizationId("another")), 403);
  equal(await putWith(organizationId("o")), 200);
  await service.close();
});

Deno.test("the home knows the projects of all shards, and they know its tokens", async () => {
  // Chance is the same in each, so that times tell their identifiers apart.
  const [home, one, two] = await Promise.all(
    ["2026-06-01", "2026-06-02", "2026-06-03"].map((day) =>
      // Whoever is not known is asked for at the home, which knows nobody more.
      testService({
        at: `${day}T12:00:00Z`,
        settings: { fleet_address: "http://node" },
        request: () => Promise.resolve(Response.json(null)),
      })
    ),
  );
  // Shards make the same organization without asking each other.
  for (const { services } of [one, two]) Object.assign(services, { organizationId });
  await apply(one, "p1");
  await apply(two, "p2");
  const told = () => allTold([toldBy(1, one.services), toldBy(2, two.services)]);
  await adoptTold(home_shard, told(), home.services);
  const listed = await askWith(home, home.token, "/platform/v1/meta/projects");
  deepEqual(
    listed.body.projects.map((it: { key: string; sites: { key: string }[] }) => [
      it.key,
      it.sites.map(({ key }) => key),
    ]),
    [["p1", ["s-p1"]], ["p2", ["s-p2"]]],
  );
  const [organization, ...others] = home.services.catalog.organizations;
  deepEqual([organization.id, others], [organizationId("o"), []]);

  const { token, id } = await home.services.access.create({
    ...{ name: "of p1", organization_id: organization.id, scopes: ["read"], expires_at: null },
    project_ids: [listed.body.projects[0].project_id],
  });
  const path = (key: string) => `/platform/v1/meta/tags?project_id=${key}`;
  equal((await askWith(one, token, path("p1"))).status, 401);
  const own = await one.services.access.create({
    ...{
      name: "own",
      organization_id: null,
      project_ids: null,
      scopes: ["read"],
      expires_at: null,
    },
  });
  equal((await askWith(one, own.token, path("p1"))).status, 200);
  const people = () => toldBy(home_shard, home.services);
  for (const { services } of [one, two]) await adoptTold(1, people(), services);
  equal((await askWith(one, token, path("p1"))).status, 200);
  equal((await askWith(two, token, path("p2"))).status, 403, "the token is for p1 alone");
  equal((await askWith(one, own.token, path("p1"))).status, 401, "what no other knows ended");

  await home.services.access.revoke(id);
  await adoptTold(1, people(), one.services);
  equal((await askWith(one, token, path("p1"))).status, 401);

  const { version } = home.services.catalog;
  await adoptTold(home_shard, told(), home.services);
  equal(home.services.catalog.version, version, "what is known changes nothing");
  for (const service of [home, one, two]) await service.close();
});

Deno.test("a user of the home can act in every shard, until that ends", async () => {
  const [home, shard] = [await testService(), await testService()];
  await apply(home, "p1");
  const adopt = () => adoptTold(1, toldBy(home_shard, home.services), shard.services);
  const user = await home.services.users.create({
    ...{ organization: "o", email: "a@example.org", first_name: "A", last_name: "B" },
    scopes: [],
  });
  await adopt();
  equal(shard.services.users.get(user.id)?.email, "a@example.org");
  await home.services.users.disable(user.id);
  await adopt();
  const { disabled_at } = home.services.users.get(user.id)!;
  equal(shard.services.users.get(user.id)?.disabled_at, disabled_at);
  for (const service of [home, shard]) await service.close();
});
