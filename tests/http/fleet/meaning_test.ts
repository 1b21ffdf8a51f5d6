// Which shard a request is for: every route of the service has a place in a fleet.
import { deepEqual, equal } from "node:assert/strict";
import { home_paths, meaningOf, refused_paths } from "../../../src/http/fleet/meaning.ts";
import { routesOf } from "../../../src/http/routes.ts";
import { testService } from "../../help/service.ts";

const addressOf = (path: string) => new URL(path.replaceAll(/\{\w+\}/g, "word"), "http://node");

Deno.test("each route is for its project, the home, a site, or is refused", async () => {
  const service = await testService();
  const routes = routesOf(service.services);
  await service.close();
  for (const { method, path, project } of routes) {
    const address = addressOf(path);
    if (project !== null) {
      if (!path.includes(`{${project}}`)) address.searchParams.set(project, "word");
      deepEqual(meaningOf(method, address), { kind: "project", names: ["word"] }, path);
      continue;
    }
    const { kind } = meaningOf(method, address);
    const known = [home_paths, refused_paths].filter((list) =>
      list.some((it) => it.test(address.pathname))
    );
    // A path that is in neither list was added without a thought of fleets.
    const is_listed = kind === "home" || kind === "refused";
    equal(known.length === 1, is_listed, `${method} ${path} is ${kind}`);
  }
});

Deno.test("names of projects are read as the service reads them", () => {
  const meant = (path: string) => meaningOf("GET", new URL(path, "http://node"));
  deepEqual(meant("/platform/v1/losses?project_ids=a&project_ids=b%20c"), {
    kind: "project",
    names: ["a", "b c"],
  });
  deepEqual(meant("/prometheus/a%20b/api/v1/query?query=up"), { kind: "project", names: ["a b"] });
  deepEqual(meant("/admin/v1/sites/s"), { kind: "site", names: ["s"] });
  // A bucket is a time there, and a project only where InfluxDB's clients write.
  deepEqual(meant("/platform/v1/performance-v2?project_ids=a&bucket=PT15M"), {
    kind: "project",
    names: ["a"],
  });
});

Deno.test("a path means what it does to the service, however it is written", async () => {
  const service = await testService();
  const metrics = await service.answer(new Request("http://localhost/%6Detrics"));
  equal(metrics.status, 200, "the service answers there");
  await metrics.body?.cancel();
  await service.close();
  const meant = (path: string) => meaningOf("GET", new URL(path, "http://node"));
  deepEqual(meant("/%6Detrics"), { kind: "metrics" });
  deepEqual(meant("/metrics?project_id=p&project_ids=q"), { kind: "metrics" });
  deepEqual(meant("/platform/v1/%6cinks"), { kind: "all", noun: "links" });
  deepEqual(meant("/%61dmin/v1/query"), { kind: "operator", noun: "query" });
  deepEqual(meant("/%61dmin/v1/sites/%FF"), { kind: "site", names: ["%FF"] });
  deepEqual(meant("/admin/v1/sites/a%252Fb"), { kind: "site", names: ["a%2Fb"] });
});
