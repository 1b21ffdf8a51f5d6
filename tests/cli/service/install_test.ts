// The files that `service` writes, shows and removes, below a folder that stands for a machine.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import {
  changesOf,
  commandsAfter,
  install,
  remove,
  statesOf,
} from "../../../src/cli/service/install.ts";

Deno.test("an installation writes all, keeps settings, and leaves them when it goes", async () => {
  const root = await Deno.makeTempDir();
  const program = `${root}/program`;
  await Deno.writeTextFile(program, "old");
  const changes = async () => (await changesOf(root, program)).map(([, change]) => change);
  deepEqual(await changes(), ["write", "write", "write", "write"]);
  await install(root, program);
  deepEqual(await changes(), ["keep", "keep", "keep", "keep"]);
  match(await commandsAfter(root), /token list .*\nsystemctl enable wattkeeper\n.* restart /);
  const unit_path = `${root}/etc/systemd/system/wattkeeper.service`;
  const unit = await Deno.readTextFile(unit_path);
  match(unit, /^ExecStart=\/usr\/local\/bin\/wattkeeper --config \S+ serve$/m);
  const { mode } = await Deno.stat(`${root}/usr/local/bin/wattkeeper`);
  equal(mode! & 0o777, 0o755);

  const settings_path = `${root}/etc/wattkeeper/wattkeeper.toml`;
  await Deno.writeTextFile(settings_path, "port = 1\n");
  await Deno.writeTextFile(unit_path, "an older version's\n");
  await Deno.writeTextFile(program, "new");
  deepEqual(await changes(), ["keep", "replace", "keep", "replace"]);
  await install(root, program);
  equal(await Deno.readTextFile(unit_path), unit);
  equal(await Deno.readTextFile(settings_path), "port = 1\n");
  equal(await Deno.readTextFile(`${root}/usr/local/bin/wattkeeper`), "new");

  const enabled = `${root}/etc/systemd/system/multi-user.target.wants`;
  await Deno.mkdir(enabled);
  await Deno.symlink(unit_path, `${enabled}/wattkeeper.service`);
  match(await commandsAfter(root), /^\n.*\nsystemctl daemon-reload\nsystemctl restart \w+\n$/);
  await rejects(remove(root), /systemctl disable --now wattkeeper/);
  await Deno.remove(enabled, { recursive: true });
  equal((await remove(root)).length, 3);
  deepEqual(await changes(), ["write", "write", "keep", "write"]);

  await Deno.mkdir(`${root}/usr/lib/wattkeeper`, { recursive: true });
  await Deno.writeTextFile(`${root}/usr/lib/wattkeeper/wattkeeper`, "the package's");
  deepEqual(await statesOf(root, program), [
    ["package", "/usr/lib/wattkeeper/wattkeeper"],
    ["there", "/etc/wattkeeper/wattkeeper.toml"],
  ]);
  await Deno.remove(root, { recursive: true });
});
