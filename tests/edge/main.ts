// `deno task edge [--short] [NAME …]`: the faults of gateways that take long, each a command of its
// own, and a table of what came of them; `--help` tells which.
import { systemEffects } from "../../src/base/effects.ts";
import { hasMosquitto } from "../help/mosquitto.ts";
import { hasServer } from "../help/opcua.ts";
import { hasPeers } from "./destination_peers.ts";
import { canLosePackets } from "./packet_loss.ts";

type Round = {
  readonly name: string;
  readonly script: string;
  readonly args: readonly (string | number)[];
  /** The same in a minute or so. */
  readonly short: readonly (string | number)[];
  readonly needs?: () => boolean | Promise<boolean>;
};

const rounds: readonly Round[] = [
  {
    name: "kills of gateway and centre",
    ...{ script: "../faults/forward.ts", args: [20, 1], short: [3, 1] },
  },
  {
    name: "kills of both with alarms over the line",
    ...{ script: "../faults/alarm.ts", args: [10, 1], short: [2, 1] },
  },
  {
    name: "kills of both with issues and work orders over the line",
    ...{ script: "../faults/work.ts", args: [10, 1], short: [2, 1] },
  },
  {
    name: "kills of a gateway that tries site files",
    ...{ script: "../faults/publish.ts", args: [12, 1], short: [3, 1] },
  },
  {
    name: "kills of a service and of its destinations",
    ...{ script: "destination_kills.ts", args: [30, 1], short: [9, 1] },
    needs: hasPeers,
  },
  {
    name: "a line of 1 Mbit/s that loses a fifth",
    ...{ script: "bad_line.ts", args: [1000, 1], short: [60, 1] },
  },
  {
    name: "such a line, whose packets the kernel loses",
    ...{ script: "bad_line.ts", args: [1000, 1, "kernel"], short: [60, 1, "kernel"] },
    needs: canLosePackets,
  },
  {
    name: "kills of the service that reads a broker",
    ...{ script: "../bench/mqtt_kills.ts", args: [40_000, 20], short: [5_000, 3] },
    needs: hasMosquitto,
  },
  {
    name: "kills of the broker",
    ...{ script: "broker_kills.ts", args: [4_000, 20], short: [500, 2] },
    needs: hasMosquitto,
  },
  {
    name: "kills of an OPC UA server and of the service",
    ...{ script: "../bench/opcua.ts", args: [20], short: [2] },
    needs: hasServer,
  },
  {
    name: "a full disk, failing calls, set clocks",
    ...{ script: "../faults/main.ts", args: ["--rounds", 40], short: ["--rounds", 4] },
  },
];

const { out, err } = systemEffects();
const help = `deno task edge [--short] [NAME …]: all rounds, or those whose name has a NAME in it

${rounds.map(({ name, needs }) => `  ${name}${needs ? " *" : ""}`).join("\n")}

* is skipped where a tool of it is not here
--short      the same in a minute or so each
WATTKEEPER   a compiled program to try instead of the sources
PYTHON       a Python with the package asyncua
`;
const options = Deno.args.filter((it) => it.startsWith("-"));
if (options.includes("--help") || options.includes("-h")) {
  out(help);
  Deno.exit(0);
}
const wanted = Deno.args.filter((it) => !it.startsWith("-"));
const strange = [
  ...options.filter((it) => it !== "--short"),
  ...wanted.filter((it) => !rounds.some(({ name }) => name.includes(it))),
];
if (strange.length > 0) {
  err(`there is no ${strange.join(", no ")}; --help tells what there is\n`);
  Deno.exit(2);
}
const is_short = options.includes("--short");
const chosen = rounds.filter(({ name }) =>
  wanted.length === 0 || wanted.some((it) => name.includes(it))
);
const table = ["| fault | came out | s | what was counted |", "| --- | --- | --- | --- |"];
let is_well = true;
for (const { name, script, args, short, needs } of chosen) {
  if (needs && !await needs()) {
    table.push(`| ${name} | skipped | | a tool of it is not here |`);
    continue;
  }
  out(`${name} …\n`);
  const begin_ms = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", new URL(script, import.meta.url).pathname],
      ...(is_short ? short : args).map(String),
    ],
  }).output();
  const seconds = Math.round((performance.now() - begin_ms) / 1000);
  const said = new TextDecoder().decode(stdout).trim();
  if (!success) out(`${said}\n${new TextDecoder().decode(stderr)}\n`);
  is_well &&= success;
  const last = said.split("\n").at(-1) ?? "";
  table.push(`| ${name} | ${success ? "well" : "FAILED"} | ${seconds} | ${last} |`);
}
out(`${table.join("\n")}\n`);
Deno.exit(is_well ? 0 : 1);
