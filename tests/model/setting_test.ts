// Settings: which source wins, what is refused, and how it is told.
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { Fault } from "../../src/base/fault.ts";
import {
  type Given,
  plannedOff,
  resolveSettings,
  type Setting,
  setting_names,
  settings_table,
} from "../../src/model/setting.ts";

const nothing: Given = {
  flags: {},
  environment: {},
  file: {},
  file_path: "wattkeeper.toml",
  machine: { memory_mb: 1200, threads: 2 },
};

function flawsOf(given: Partial<Given>) {
  let flaws: unknown;
  throws(() => resolveSettings({ ...nothing, ...given }), (error) => {
    flaws = error instanceof Fault && error.flaws;
    return true;
  });
  return flaws;
}

Deno.test("a setting is taken from flag, variable, file, default, in this order", () => {
  const sources = [
    ["flag --port", { flags: { port: "1" } }, 1],
    ["variable WATTKEEPER_PORT", { environment: { WATTKEEPER_PORT: "2" } }, 2],
    ["wattkeeper.toml: port", { file: { port: 3 } }, 3],
    ["default", {}, 8480],
  ] as const;
  for (let first = 0; first < sources.length; first++) {
    const given = Object.assign({}, nothing, ...sources.slice(first).map(([, given]) => given));
    const { settings, origins } = resolveSettings(given);
    equal(origins.port, sources[first][0]);
    equal(settings.port, sources[first][2]);
  }
});

Deno.test("every setting has a value when nothing is given", () => {
  const { settings, origins } = resolveSettings(nothing);
  deepEqual(Object.keys(settings), setting_names);
  equal(settings.memory_mb, 1200);
  equal(origins.memory_mb, "default (this machine)");
  equal(settings.checkpoint_mb, 16);
});

Deno.test("an unknown name is told with the nearest known one", () => {
  deepEqual(flawsOf({ environment: { WATTKEEPER_PROT: "1" }, file: { data_dri: "x", zebra: 1 } }), [
    {
      path: "variable WATTKEEPER_PROT",
      message: "there is no such setting; meant WATTKEEPER_PORT?",
    },
    { path: "wattkeeper.toml: data_dri", message: "there is no such setting; meant data_dir?" },
    { path: "wattkeeper.toml: zebra", message: "there is no such setting" },
  ]);
});

Deno.test("a value out of bounds is told with its source and the form that is wanted", () => {
  deepEqual(
    flawsOf({ flags: { port: "65536" }, file: { log_format: "xml", host: "", threads: 1.5 } }),
    [
      {
        path: "wattkeeper.toml: host",
        message: "give a name or an address alone, such as 0.0.0.0; the port is a setting of its " +
          'own, not ""',
      },
      { path: "flag --port", message: 'give a whole number from 0 to 65535, not "65536"' },
      { path: "wattkeeper.toml: log_format", message: 'give one of json, pretty, not "xml"' },
      { path: "wattkeeper.toml: threads", message: "give a whole number from 1 to 256, not 1.5" },
    ],
  );
});

Deno.test("what a secret setting was given is not told", () => {
  const given = {
    WATTKEEPER_FLEET_CATALOG: "postgres:host=db pasword=hidden1",
    WATTKEEPER_TIER: "ducklake:postgress:host=db password=hidden1",
    WATTKEEPER_UPSTREAM_TOKEN: "hidden1",
    WATTKEEPER_FLEET_SECRET: "hidden1",
  };
  for (const [name, value] of Object.entries(given)) {
    try {
      resolveSettings({ ...nothing, environment: { [name]: value } });
    } catch (error) {
      ok(error instanceof Fault);
      equal(JSON.stringify(error.flaws).includes("hidden1"), false, name);
    }
  }
  const [{ message }] = flawsOf({
    environment: { WATTKEEPER_FLEET_SECRET: "hidden1" },
  }) as { message: string }[];
  match(message, /^give at least 16 characters/);
});

Deno.test("a list takes known words alone, with commas between them", () => {
  for (const planned_off of ["none", "availability", "availability, issues,work_orders"]) {
    equal(
      resolveSettings({ ...nothing, flags: { planned_off } }).settings.planned_off,
      planned_off,
    );
  }
  deepEqual([...plannedOff("availability, issues")], ["availability", "issues"]);
  const wanted = "give any of none, availability, issues, work_orders";
  deepEqual(flawsOf({ flags: { planned_off: "issues,availabilty" } }), [{
    path: "flag --planned-off",
    message: `${wanted}; meant availability?, not "issues,availabilty"`,
  }]);
  deepEqual(flawsOf({ file: { planned_off: "" } }), [
    { path: "wattkeeper.toml: planned_off", message: `${wanted}, not ""` },
  ]);
});

Deno.test("a number is not read from odd text", () => {
  for (const text of ["", " 1", "1e3", "0x10", "-1", "+1", "1.0", "NaN", "99999999999999999999"]) {
    equal((flawsOf({ flags: { port: text } }) as unknown[]).length, 1, text);
  }
});

Deno.test("the documentation has a row for every setting", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/settings.md", import.meta.url));
  const page = text.replaceAll(/ +/g, " ");
  for (const name of setting_names) {
    const setting: Setting = settings_table[name];
    const value = setting.default === undefined ? "by machine" : `\`${setting.default}\``;
    ok(page.includes(`| \`${name}\` | ${value} | ${setting.doc} |`), name);
  }
});
