// A site file at a node: a new project takes a shard once its file is right, and is to be kept.
import { deepEqual } from "node:assert/strict";
import { Directory } from "../../../src/engine/fleet/directory.ts";
import type { FleetNode } from "../../../src/engine/fleet/node.ts";
import { Front } from "../../../src/http/fleet/front.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import type { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";

const file = { organization: { key: "o" }, project: { key: "p" }, site: { key: "s" } };

/** The two ways of a site file. */
const applied = { method: "PUT", path: "/admin/v1/sites/s" };
const published = { method: "POST", path: "/admin/v1/gateways/sites" };

type Fleet = {
  readonly refusal?: number;
  /** The shard of the project. */
  readonly known?: number;
  /** How often the home is asked for its sites before it has the new one. */
  readonly told_after?: number;
  /** Counts the home's lists of sites, and the waits between them. */
  readonly counts?: { asked: number; slept: number };
};

/** The front of a node that holds the shards 0, 1 and 2; the home refuses a new file, or not. */
function frontOf({ refusal = 200, known, told_after = 0, counts }: Fleet = {}) {
  const { effects, clock } = fakeEffects();
  const seen = counts ?? { asked: 0, slept: 0 };
  const asked: string[] = [];
  const catalog = {
    placeOf: () => Promise.resolve(known),
    placed: () => Promise.resolve(new Map([[1, 1]])),
    place(_: unknown, proposed: number) {
      asked.push(`placed in ${proposed}`);
      return Promise.resolve(proposed);
    },
  };
  const holding = { left_ms: 1, begin: () => () => {} };
  const node = {
    ...{ name: "a", catalogue_ms: 0, directory: new Directory() },
    shards: [0, 1, 2].map((no) => ({ no, is_used: true })),
    wayTo: (no: number) => ({ kind: "here", holding, port: 1000 + no }),
    ...{ refresh: () => Promise.resolve(), isAway: () => false },
  };
  const front = new Front({
    node: node as unknown as FleetNode,
    catalog: catalog as unknown as FleetCatalog,
    effects: {
      ...effects,
      sleep(wait_ms, ...signals) {
        if (wait_ms !== fleet_limits.look_ms) return effects.sleep(wait_ms, ...signals);
        seen.slept++;
        return Promise.resolve(clock.advance(wait_ms));
      },
      request({ method, url }) {
        const { port, pathname, search } = new URL(url);
        if (pathname === "/admin/v1/sites") {
          const sites = seen.asked++ < told_after ? [] : [{ key: "s" }];
          return Promise.resolve(Response.json({ sites }));
        }
        if (![applied.path, published.path].includes(pathname)) {
          return Promise.resolve(Response.json({}));
        }
        asked.push(`${Number(port) - 1000} ${method}${search}`);
        return Promise.resolve(Response.json({}, { status: port === "1000" ? refusal : 200 }));
      },
    },
    settings: {
      ...{ fleet_secret: "0123456789abcdef", trusted_proxies: "none", metrics: "open" },
      ...{ public_url: "none", tls_cert: "none", cors_origins: "none" },
    },
    ...{ version: "1", log: { error: () => {} } },
  });
  return async (body: object, query = "", { method, path } = applied) => {
    const answer = await front.fetch(
      new Request(`http://node${path}${query}`, {
        ...{ method, body: JSON.stringify(body) },
        headers: { "content-type": "application/json" },
      }),
    );
    await answer.body?.cancel();
    return [answer.status, ...asked];
  };
}

Deno.test("a new project takes a shard where nothing is wrong with its file", async () => {
  deepEqual(await frontOf()(file), [200, "0 PUT?dry_run=true", "placed in 2", "2 PUT"]);
  deepEqual(await frontOf({ known: 1 })(file), [200, "placed in 1", "1 PUT"]);
});

Deno.test("a project takes a shard, too, that begins with a file for a gateway", async () => {
  deepEqual(await frontOf()(file, "?gateway=g", published), [
    ...[200, "0 POST?gateway=g&dry_run=true", "placed in 2", "2 POST?gateway=g"],
  ]);
  deepEqual(await frontOf({ known: 1 })(file, "", published), [200, "placed in 1", "1 POST"]);
});

Deno.test("what is refused, or only tried, takes no shard", async () => {
  deepEqual(await frontOf({ refusal: 403 })(file), [403, "0 PUT?dry_run=true"]);
  deepEqual(await frontOf()(file, "?dry_run=true"), [200, "0 PUT?dry_run=true"]);
  for (const project of [{}, { key: 1 }, { key: "" }, { key: "p\0" }, { key: "a/b" }]) {
    deepEqual(await frontOf({ refusal: 400 })({ ...file, project }), [400, "0 PUT"]);
  }
});

Deno.test("a new site is answered once the home knows it, or after a while", async () => {
  const apply = async (told_after: number, query = "") => {
    const counts = { asked: 0, slept: 0 };
    const [status] = await frontOf({ known: 1, told_after, counts })(file, query);
    return { status, ...counts };
  };
  deepEqual(await apply(2), { status: 200, asked: 3, slept: 2 });
  deepEqual(await apply(Infinity), { status: 200, asked: 17, slept: 16 });
  deepEqual(await apply(2, "?dry_run=true"), { status: 200, asked: 0, slept: 0 });
});
