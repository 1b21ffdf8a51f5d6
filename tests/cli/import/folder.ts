// A data directory with one project, and the command line on it.
import assert from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import type { TestService } from "../../help/service.ts";

/** A site file's data. */
export const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "plant", name: "Plant", timezone: "America/Denver" },
  site: { key: "plant", name: "Plant", latitude: 38, longitude: -104 },
};

/** Declares that site in a running service. */
export async function declareSite({ fetch }: Pick<TestService, "fetch">): Promise<void> {
  const put = await fetch("/admin/v1/sites/plant", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site),
  });
  assert.equal(put.status, 200, await put.text());
}

/** What a test does with the folder. */
export type Run = {
  readonly run: (...args: string[]) => Promise<number>;
  readonly write: (name: string, text: string | Uint8Array) => Promise<string>;
  readonly printed: { out: string; err: string };
};

/** A data directory with one project, and the command line on it. */
export async function withFolder(work: (run: Run) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  const { effects, printed } = fakeEffects();
  const flags = ["--data-dir", `${dir}/data`, "--memory-mb", "256", "--threads", "1"];
  const run = (...args: string[]) => runCli([...flags, ...args], { effects, version, openService });
  const write = async (name: string, content: string | Uint8Array) => {
    const bytes = typeof content === "string" ? utf8(content) : content;
    await Deno.writeFile(`${dir}/${name}`, bytes);
    return `${dir}/${name}`;
  };
  try {
    const file = await write("site.json", JSON.stringify(site));
    assert.equal(await run("site", "apply", file), 0, printed.err);
    printed.out = printed.err = "";
    await work({ run, write, printed });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
