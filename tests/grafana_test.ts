// Answers every question of the Grafana dashboards as its data sources ask it, with demo data.
import { deepEqual, equal, ok } from "node:assert/strict";
import { demo_now_ms, openDemoPlant } from "./help/demo_plant.ts";

type Target = {
  readonly refId: string;
  readonly expr: string;
  readonly instant?: true;
  readonly type: string;
  readonly url: string;
  readonly columns: readonly { readonly selector: string; readonly type: string }[];
};
type Panel = { readonly title: string; readonly targets: readonly Target[] };
type Dashboard = {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};

const read = async (name: string): Promise<Dashboard> =>
  JSON.parse(await Deno.readTextFile(new URL(`../docs/grafana/${name}.json`, import.meta.url)));

/** The demo's plant after two days and a morning, asked with a reader's token. */
async function openDemo() {
  const { service, project } = await openDemoPlant();
  const { token } = await service.services.access.create({
    ...{ name: "grafana", scopes: ["read"], expires_at: null },
    ...{ organization_id: project.organization_id, project_ids: [project.id] },
  });
  const { key } = project;
  return {
    key,
    /** As its Prometheus source asks: forms, the token as a password. */
    async prometheus(path: string, form?: Readonly<Record<string, string>>) {
      const answer = await service.fetch(`/prometheus/${key}/api/v1/${path}`, {
        method: form ? "POST" : "GET",
        body: form && new URLSearchParams(form),
        headers: { authorization: `Basic ${btoa(`grafana:${token}`)}` },
      });
      const { status, data, error } = await answer.json();
      equal(status, "success", `${path} ${form?.query}: ${error}`);
      return data;
    },
    async infinity(url: string): Promise<string> {
      const answer = await service.fetch(url, { headers: { authorization: `Bearer ${token}` } });
      const text = await answer.text();
      equal(answer.status, 200, `${url}: ${text}`);
      return text;
    },
    close: service.close,
  };
}

const demo = await openDemo();

/** What Grafana puts in the place of its variables. */
const filled = (text: string) =>
  text.replaceAll("$site", ".+").replaceAll("${project}", demo.key)
    .replaceAll("${__from:date:YYYY-MM-DD}", "2026-06-01")
    .replaceAll("${__to:date:YYYY-MM-DD}", "2026-06-03");

Deno.test("a Prometheus source connects, and finds metrics, labels and the sites", async () => {
  const { result } = await demo.prometheus("query", {
    query: "1+1",
    time: `${demo_now_ms / 1000}`,
  });
  equal(result[1], "2");
  ok((await demo.prometheus("status/buildinfo")).version);
  ok(
    (await demo.prometheus("labels", { start: "0", end: `${demo_now_ms / 1000}` })).includes(
      "site",
    ),
  );
  const names = await demo.prometheus("label/__name__/values");
  for (const name of ["active_power", "active_power_expected", "poa_front"]) {
    ok(names.includes(name), name);
  }
  const sites = await demo.prometheus("label/site/values?match[]=active_power");
  equal(sites.length, 1);
  ok((await demo.prometheus("metadata")) !== undefined);
});

Deno.test("every expression of the dashboard has an answer with numbers", async () => {
  const { panels } = await read("plant");
  ok(panels.length >= 9);
  for (const { title, targets } of panels) {
    for (const { expr, instant, refId } of targets) {
      const query = filled(expr);
      const end = demo_now_ms / 1000;
      const { resultType, result } = instant
        ? await demo.prometheus("query", { query, time: `${end}` })
        : await demo.prometheus("query_range", {
          ...{ query, start: `${end - 86_400}`, end: `${end}`, step: "300" },
        });
      equal(resultType, instant ? "vector" : "matrix", title);
      const numbers = result.flatMap((it: { value: unknown; values: unknown }) =>
        ((instant ? [it.value] : it.values) as readonly (readonly [number, string])[])
          .map(([, value]) => Number(value))
      );
      ok(numbers.some(Number.isFinite), `${title} ${refId}: ${query}`);
    }
  }
});

Deno.test("every question of the Infinity dashboard has rows with its columns", async () => {
  const { panels, templating } = await read("infinity");
  deepEqual(templating.list.map(({ name }) => name), ["datasource", "project"]);
  const empty: string[] = [];
  for (const { title, targets } of panels) {
    for (const { url, columns, type } of targets) {
      const text = await demo.infinity(filled(url));
      const rows = type === "csv" ? rowsOf(text) : JSON.parse(text);
      if (rows.length === 0) empty.push(title);
      for (const { selector, type } of rows.length > 0 ? columns : []) {
        ok(selector in rows[0], `${title}: ${selector} of ${Object.keys(rows[0])}`);
        const value = rows[0][selector];
        if (type === "number") ok(value === null || Number.isFinite(Number(value)), `${value}`);
      }
    }
  }
  // Nobody has opened an issue in the demo's first days.
  deepEqual(empty.filter((title) => title !== "Open issues"), []);
  await demo.close();
});

/** The rows of a CSV without quotation marks. */
function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const [head, ...lines] = text.trim().split(/\r?\n/).map((line) => line.split(","));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}
