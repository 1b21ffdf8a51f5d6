// `user` and `token create --user` on a data directory that no service holds.
import { deepEqual, equal, match } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;

Deno.test("a user is added, listed and disabled, and a token is made for the user", async () => {
  const { effects, printed } = fakeEffects();
  const folder = await Deno.makeTempDir();
  const run = async (...args: string[]) => {
    Object.assign(printed, { out: "", err: "" });
    const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
    const openService = () => unreachable(undefined as never);
    const code = await runCli([...flags, ...args], { effects, version: "0", openService });
    return { code, ...printed };
  };
  await run("site", "apply", example);
  const add = (email: string) =>
    run(
      ...["user", "add", "--email", email, "--first-name", "Anna", "--last-name", "Ruiz"],
      ...["--organization", "example"],
    );
  const added = await add("anna@plant.test");
  deepEqual([added.code, added.err], [0, ""]);
  const id = added.out.trim();
  match(id, /^[0-9a-f-]{36}$/);
  const twin = await add("Anna@Plant.test");
  deepEqual([twin.code, /plant/i.test(twin.err)], [1, false]);
  match((await add("anna")).err, /email: give an e-mail address/);
  match(
    (await run("user", "list")).out,
    /organization \S+ {2}anna@plant.test {2}Anna Ruiz {2}active {2}can't sign in\n/,
  );
  const allowed = await run("user", "allow", id, "--scope", "read", "operate");
  match(allowed.out, /Anna Ruiz {2}active {2}read,operate\n/);
  match((await run("user", "allow", id, "--scope", "reed")).err, /scopes/);
  const token = ["token", "create", "--name", "phone", "--scope", "operate", "--user"];
  equal((await run(...token, "ANNA@plant.test")).code, 0);
  match((await run("token", "list")).out, new RegExp(`phone .* user ${id}\n`));
  equal((await run("user", "disable", id)).out, `user ${id} is disabled\n`);
  match((await run("user", "list")).out, /Ruiz {2}disabled 2026-06-01T12:00:00/);
  match((await run(...token, id)).err, /user: is no user who can act/);
  equal((await run("user", "disable", "unknown")).code, 1);
  await Deno.remove(folder, { recursive: true });
});
