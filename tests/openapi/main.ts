// Tools of others on the API description: a linter, a generator of clients, a fuzzer.
import { parseArgs } from "node:util";
import { guideOf } from "../help/client_plant.ts";
import { openWorld, type World } from "./world.ts";

const usage = `deno task openapi:check [--minutes 10] [--only redocly,python,schemathesis]

Runs tools on the description of a service that it starts: redocly lint, openapi-python-client with
mypy and a call of what it made, and schemathesis for so many minutes. A tool that is not in PATH is
skipped, and named. Exits with 1 where a tool finds something.
`;

/** What a tool needs, how it is installed, and what it finds: nothing, or a text. */
type Check = {
  readonly name: string;
  readonly commands: readonly string[];
  readonly install: string;
  readonly run: (world: World, folder: string) => Promise<string | undefined>;
};

type Said = { readonly success: boolean; readonly text: string };

async function run(command: string, args: readonly string[], cwd: string): Promise<Said> {
  const env = { NO_COLOR: "1", COLUMNS: "120", PYTHONDONTWRITEBYTECODE: "1" };
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, env })
    .output();
  return { success, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

const lint: Check = {
  name: "redocly",
  commands: ["redocly"],
  install: "npm install --global @redocly/cli",
  run: async (_, folder) => {
    const { success, text } = await run("redocly", ["lint", "all.json", "one.json"], folder);
    return success && !/\bYou have \d+ warning/.test(text) ? undefined : text;
  },
};

/** A read, an ingest and an action by what was generated. */
const python_calls = `
import sys
from datetime import datetime, timezone
from wattkeeper_client import AuthenticatedClient
{{imports}}
from wattkeeper_client.models import AlarmClaimBody, IngestAnswer, Sample
url, token, project, alarm = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token)
rows = issues.sync(client=client, project_id=project)
assert isinstance(rows, list) and rows[0].name == "Fan", rows
sent = ingest_signals.sync(client=client, project_id=project, body=[
    Sample(tag="generated", ts=datetime.now(timezone.utc), value=1.5)])
assert isinstance(sent, IngestAnswer) and sent.accepted == 1, sent
newest = signals_latest.sync(client=client, project_id=project)
assert any(it.sensor_tag == "generated" for it in newest.values), newest
body = AlarmClaimBody(user="anna@plant.test")
claimed = alarm_claim.sync(client=client, occurrence_id=alarm, project_id=project, body=body)
assert claimed.status == "claimed", claimed
`;

const called = ["alarm_claim", "ingest_signals", "issues", "signals_latest"];

type Description = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; tags: readonly string[] }>>>
  >;
};

/** The lines that import what is called: the generator puts it into a module named by its tag. */
function importsOf({ paths }: Description): string {
  return Object.values(paths).flatMap((path) => Object.values(path))
    .filter(({ operationId }) => called.includes(operationId))
    .map(({ operationId, tags: [tag] }) => {
      const module = tag.toLowerCase().replaceAll(/\W+/g, "_");
      return `from wattkeeper_client.api.${module} import ${operationId}`;
    }).join("\n");
}

const python: Check = {
  name: "python",
  commands: ["openapi-python-client", "mypy", "python3"],
  install: "pip install openapi-python-client mypy ruff",
  run: async ({ server, token, project_id, ids }, folder) => {
    await Deno.writeTextFile(`${folder}/config.yml`, await guideOf("yaml"));
    const imports = importsOf(JSON.parse(await Deno.readTextFile(`${folder}/one.json`)));
    await Deno.writeTextFile(`${folder}/calls.py`, python_calls.replace("{{imports}}", imports));
    const made = await run("openapi-python-client", [
      ...["generate", "--path", "one.json", "--config", "config.yml", "--meta", "none"],
      ...["--output-path", "wattkeeper_client"],
    ], folder);
    if (!made.success || /warning/i.test(made.text)) return made.text;
    const typed = await run("mypy", ["wattkeeper_client", "--cache-dir", "/dev/null"], folder);
    // Its client.py is the same for every description.
    const wrong = /client\/(api|models)\/.*error/.test(typed.text);
    if (wrong || !/checked \d{3}/.test(typed.text)) return typed.text;
    const alarm = ids["/platform/v1/alarms/"];
    const args = ["calls.py", server.address, token, project_id, alarm];
    const called = await run("python3", args, folder);
    return called.success ? undefined : called.text;
  },
};

/** What has no end or is as large as the database, needs a provider, or a body of its own. */
const left_out = [
  ...["signals_stream", "alarm_stream", "backup_stream", "backup_post"],
  ...["session_oidc", "session_oidc_callback", "prometheus_write"],
];

function fuzzConfig({ ids, project_id }: World): string {
  const named = Object.entries(ids).map(([path, id]) =>
    `[[operations]]
include-path-regex = "^${path}[{]"
parameters = { "path.id" = "${id}", "path.key" = "${id}", "path.occurrence_id" = "${id}" }
`
  );
  return `[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "406", "408", "409", "413", "415", "429"]

[parameters]
project_id = "${project_id}"
project_ids = ["${project_id}"]
db = "plant"
bucket = "plant"
"path.project" = "plant"

${named.join("\n")}
# A bad row is rejected and told, beside others that are stored.
[[operations]]
include-path-regex = "^/ingest/"
[operations.checks.negative_data_rejection]
enabled = false

# An empty text is as if it were not there, as other tools send it.
[[operations]]
include-path-regex = "^/(write|api|query|prometheus)"
[operations.checks.negative_data_rejection]
enabled = false
`;
}

function fuzzer(minutes: number): Check {
  return {
    name: "schemathesis",
    commands: ["schemathesis"],
    install: "pip install schemathesis",
    run: async (world, folder) => {
      await Deno.writeTextFile(`${folder}/schemathesis.toml`, fuzzConfig(world));
      const { success, text } = await run("schemathesis", [
        ...["--config-file", "schemathesis.toml", "run", "all.json"],
        ...["--url", world.server.address, "--header", `Authorization: Bearer ${world.token}`],
        ...["--max-time", String(60 * minutes), "--phases", "coverage,fuzzing"],
        // Of two, one ends in an error of Python's own: its parser counts the depth of both as one.
        ...["--workers", "1"],
        // No schema says what parameters mean together; a few wrong tokens more get 429.
        ...["--exclude-checks", "positive_data_acceptance,ignored_auth"],
        "--continue-on-failure",
        ...["--suppress-health-check", "all", "--request-timeout", "30", "--warnings", "off"],
        ...left_out.flatMap((id) => ["--exclude-operation-id", id]),
      ], folder);
      return success ? undefined : text;
    },
  };
}

async function isThere(command: string): Promise<boolean> {
  try {
    const quiet = { stdout: "null", stderr: "null" } as const;
    await new Deno.Command(command, { args: ["--version"], ...quiet }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (import.meta.main) {
  const options = {
    minutes: { type: "string", default: "10" },
    only: { type: "string" },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: Deno.args, options });
  // deno-lint-ignore no-console -- it is run for what it prints
  const say = console.log;
  if (values.help) {
    say(usage);
    Deno.exit(0);
  }
  const checks = [lint, python, fuzzer(Number(values.minutes))]
    .filter(({ name }) => values.only === undefined || values.only.split(",").includes(name));
  const folder = await Deno.makeTempDir();
  const world = await openWorld(`${folder}/data`);
  let found = 0;
  try {
    for (const forms of ["all", "one"]) {
      const answer = await fetch(`${world.server.address}/openapi.json?forms=${forms}`);
      await Deno.writeTextFile(`${folder}/${forms}.json`, await answer.text());
    }
    for (const { name, commands, install, run } of checks) {
      const missing = [];
      for (const command of commands) if (!await isThere(command)) missing.push(command);
      if (missing.length > 0) {
        say(`${name}: SKIPPED, ${missing.join(" and ")} not in PATH (${install})`);
        continue;
      }
      const text = await run(world, folder);
      if (text !== undefined) found++;
      say(text === undefined ? `${name}: ok` : `${name}: FAILED\n${text}`);
    }
  } finally {
    await world.server.end("SIGTERM");
    await Deno.remove(folder, { recursive: true });
  }
  Deno.exit(found > 0 ? 1 : 0);
}
