// A plant with a service, and a shell in its folder, for people who make mistakes.
import { equal } from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";

/** The site file of the plant, as it is applied. */
export const site_toml = `version = 1
organization = { key = "acme", name = "Acme" }
project = { key = "la-mancha", name = "La Mancha", timezone = "Europe/Madrid" }
site = { key = "north", name = "North", latitude = 39.2, longitude = -3.1 }
[[devices]]
key = "INV-1"
type = "inverter"
[[sensors]]
tag = "inv1.p_ac_kw"
device = "INV-1"
measure = "active_power"
scale = 1000
`;

/** What a command or a request came to: its exit code or status, and all that it said. */
export type Said = { readonly code: number; readonly text: string };

/** Opens the world: a folder with files, a service that commands reach at http://plant:8480. */
export async function openWorld() {
  const folder = await Deno.makeTempDir();
  const at = (name: string) => `${folder}/${name}`;
  const settings = { data_dir: at("service") };
  const service = await testService({ at: "2026-06-02T12:00:00Z", settings });
  const json = { "content-type": "application/json" };
  const put = await service.fetch("/admin/v1/sites/north", {
    method: "PUT",
    headers: { "content-type": "application/toml" },
    body: site_toml,
  });
  equal(put.status, 200, await put.text());
  const made = await service.fetch("/admin/v1/tokens", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ name: "reader", scopes: ["read"], projects: ["la-mancha"] }),
  });
  const { token: reader } = await made.json();
  await Deno.writeTextFile(at("token.txt"), service.token);
  await Deno.writeTextFile(at("reader.txt"), reader);
  return {
    folder,
    token: service.token,
    reader,
    /** Runs a command line; `%name` is a file of the folder, `+url` names the service. */
    async run(line: readonly string[], files: Readonly<Record<string, string>>): Promise<Said> {
      for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(at(name), text);
      const { effects, printed } = fakeEffects("2026-06-02T12:00:00Z");
      const request = (asked: Request) => service.answer(asked);
      const own = { env: () => ({}), request };
      const args = line.flatMap((word) => {
        if (word === "+url") return ["--url", "http://plant:8480", "--token-file", at("token.txt")];
        return [word.replaceAll("%", `${folder}/`)];
      });
      const where = line.includes("+url") ? [] : ["--data-dir", at("data")];
      const world = { effects: { ...effects, ...own }, openService, version };
      const code = await runCli([...args, ...where], world);
      return { code, text: printed.err + printed.out };
    },
    /** Sends a request; the text of a problem is its detail and every flaw. */
    async ask(path: string, init: RequestInit = {}): Promise<Said> {
      const answer = await service.fetch(path, init);
      const text = await answer.text();
      if (answer.ok) return { code: answer.status, text };
      try {
        const { detail, error = "", errors = [] } = JSON.parse(text);
        const flaws = errors.map((it: { path: string; message: string }) =>
          `${it.path}: ${it.message}`
        );
        return { code: answer.status, text: [detail ?? error, ...flaws].join("\n") };
      } catch {
        return { code: answer.status, text };
      }
    },
    async close() {
      await service.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
