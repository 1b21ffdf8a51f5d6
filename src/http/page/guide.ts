// The guides of `docs/` as pages of the service: where it runs there may be no internet.
import { html, raw } from "@hono/hono/html";
import { meantOrKnown } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { type Html, page } from "./html.ts";

/** The texts by the names of their pages: what to do first, then all that there is. */
const texts: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  connect: () => import("../../../docs/guides/connect.md", { with: { type: "text" } }),
  csv: () => import("../../../docs/guides/csv.md", { with: { type: "text" } }),
  telegraf: () => import("../../../docs/guides/telegraf.md", { with: { type: "text" } }),
  grafana: () => import("../../../docs/guides/grafana.md", { with: { type: "text" } }),
  pandas: () => import("../../../docs/guides/pandas.md", { with: { type: "text" } }),
  excel: () => import("../../../docs/guides/excel.md", { with: { type: "text" } }),
  install: () => import("../../../docs/install.md", { with: { type: "text" } }),
  operate: () => import("../../../docs/operate.md", { with: { type: "text" } }),
  site: () => import("../../../docs/site.md", { with: { type: "text" } }),
  settings: () => import("../../../docs/settings.md", { with: { type: "text" } }),
  send: () => import("../../../docs/send.md", { with: { type: "text" } }),
  read: () => import("../../../docs/read.md", { with: { type: "text" } }),
  sources: () => import("../../../docs/sources.md", { with: { type: "text" } }),
  mqtt: () => import("../../../docs/mqtt.md", { with: { type: "text" } }),
  opcua: () => import("../../../docs/opcua.md", { with: { type: "text" } }),
  iec104: () => import("../../../docs/iec104.md", { with: { type: "text" } }),
  derived: () => import("../../../docs/derived.md", { with: { type: "text" } }),
  setpoints: () => import("../../../docs/setpoints.md", { with: { type: "text" } }),
  gateway: () => import("../../../docs/gateway.md", { with: { type: "text" } }),
  destinations: () => import("../../../docs/destinations.md", { with: { type: "text" } }),
  expected: () => import("../../../docs/expected.md", { with: { type: "text" } }),
  alarms: () => import("../../../docs/alarms.md", { with: { type: "text" } }),
  work: () => import("../../../docs/work.md", { with: { type: "text" } }),
  webhooks: () => import("../../../docs/webhooks.md", { with: { type: "text" } }),
  screens: () => import("../../../docs/screens.md", { with: { type: "text" } }),
  clients: () => import("../../../docs/clients.md", { with: { type: "text" } }),
  backup: () => import("../../../docs/backup.md", { with: { type: "text" } }),
  fleet: () => import("../../../docs/fleet.md", { with: { type: "text" } }),
};

/** The names of the guides, in the order in which they are read. */
export const guide_names: readonly string[] = Object.keys(texts);

/** The address of a guide's page. */
export function guidePath(name: string): string {
  return `/docs/guide/${name}`;
}

/** Throws a `Fault` (not_found) where there is no guide of that name. */
export function requireGuide(name: string): void {
  if (Object.hasOwn(texts, name)) return;
  throw new Fault("not_found", `there is no guide ${name}${meantOrKnown(name, guide_names)}`);
}

/** The page of a guide. */
export async function guidePage(name: string): Promise<string> {
  const { title, heads, body } = await rendered(name);
  const links = heads.map((head) => html`<li><a href="#${head.id}">${raw(head.title)}</a></li>`);
  const contents = html`
    <p><a href="/docs/start">Contents</a></p>
    <nav aria-label="Contents">
      <ul>${links}</ul>
    </nav>
  `;
  const [head, rest] = body.split(/(?<=<\/h1>)/);
  return String(await page(title, [html`${raw(head)}${contents}${raw(linked(rest))}`]));
}

/** A link to each guide. */
export async function guideList(): Promise<Html> {
  const items = await Promise.all(guide_names.map(async (name) => {
    const { title } = await rendered(name);
    return html`<li><a href="${guidePath(name)}">${title}</a></li>`;
  }));
  return html`<ul>${items}</ul>`;
}

async function rendered(name: string) {
  const [{ render }, { default: text }] = await Promise.all([
    import("./markdown.ts"),
    texts[name](),
  ]);
  return render(text);
}

/** Files beside the guides become pages and files of the service; what it lacks is no link. */
function linked(body: string): string {
  return body
    .replaceAll(
      /href="(?:\.\.\/|guides\/)?([\w-]+)\.md(#[\w-]+)?"/g,
      (whole, name, at = "") =>
        guide_names.includes(name) ? `href="${guidePath(name)}${at}"` : whole,
    )
    .replaceAll(/href="(?:\.\.\/)?grafana\/(\w+\.json)"/g, 'href="/docs/$1"')
    .replaceAll(/<a href="(?!\/|#|https?:)[^"]*">([^]*?)<\/a>/g, "$1");
}
