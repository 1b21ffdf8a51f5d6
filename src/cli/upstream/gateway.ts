// `gateway`: what a centre does for its gateways: lets them in, and publishes site files for them.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { askRunning, type Context, outList } from "../frame/context.ts";
import { readDataFile } from "../frame/data_file.ts";
import { type RemoteFlags, withRemote } from "../frame/remote.ts";

type EnrolFlags = RemoteFlags & { readonly project: readonly string[]; readonly name?: string };

/** Adds `gateway`. */
export function addGatewayCommand(program: Command, context: Context): void {
  const gateway = program.command("gateway")
    .description("let gateways in at their centre, and give them site files");
  addSiteCommands(gateway, context);
  withRemote(gateway.command("enrol"))
    .description("print a code that lets one gateway in, once and within an hour")
    .requiredOption(
      "--project <key>",
      "a project that it sends to, by key or id; can be repeated",
      (key: string, before: readonly string[] = []) => [...before, key],
    )
    .option("--name <text>", "what its token is called; by default the first project's key")
    .addHelpText("after", gateway_help)
    .action(async ({ project: projects, name, ...flags }: EnrolFlags) => {
      const { code, expires_at } = await askRunning<{ code: string; expires_at: string }>(
        context,
        flags,
        {
          path: "/admin/v1/gateways/codes",
          body: { name: name ?? `gateway ${projects[0]}`, projects },
        },
      );
      context.effects.out(`${code}\n`);
      context.effects.err(`valid once, until ${expires_at}\n`);
    });
}

const gateway_help = `
At the centre, then at the plant:
  wattkeeper gateway enrol --project plant-1
  wattkeeper upstream join https://centre.example K7QF-9M2X-44TR-PW0B`;

type PublishFlags = RemoteFlags & {
  readonly project?: string;
  readonly gateway?: string;
  readonly dryRun?: true;
  readonly remap?: true;
  readonly again?: true;
};

type ProjectFlags = RemoteFlags & { readonly project: string };

type Change = {
  readonly action: "create" | "update" | "remove";
  readonly kind: string;
  readonly key: string;
  readonly fields: readonly string[];
};

/** What `POST /admin/v1/gateways/sites` says. */
type Publication = {
  readonly site: string;
  readonly version: number | null;
  readonly result: "published" | "unchanged" | "dry_run";
  readonly changes: readonly Change[];
  readonly warnings?: readonly string[];
};

/** An entry of `GET /admin/v1/gateways/sites`. */
type Version = {
  readonly version: number;
  readonly site: string;
  readonly author: string;
  readonly published_at: string;
  readonly is_offered: boolean;
  readonly gateway: string | null;
};

/** An entry of `GET /platform/v1/gateways`, as far as it is printed. */
type Gateway = {
  readonly name: string;
  readonly token_name: string;
  readonly heard_at: string;
  readonly lag_s: number;
  readonly waiting_rows: number;
  readonly sites: readonly {
    readonly site: string;
    readonly project_key: string;
    readonly version: number;
    readonly state: string;
    readonly reason: string | null;
    readonly in_force: number | null;
    readonly held_by: string | null;
  }[];
};

const sites_path = "/admin/v1/gateways/sites";

function addSiteCommands(gateway: Command, context: Context): void {
  const { effects } = context;
  withRemote(gateway.command("list"), "read")
    .description("show when each gateway was heard, and how its site files go")
    .action(async (flags: RemoteFlags) => {
      const found = await askRunning<Gateway[]>(context, flags, { path: "/platform/v1/gateways" });
      outList(effects, { lines: found.map(gatewayText), none: "no gateway was heard yet" });
    });
  const site = gateway.command("site").description("publish site files for gateways");
  addPublish(site, context);
  withProject(withRemote(site.command("list"), "read"))
    .description("list the versions of a project, the newest first: who and when")
    .action(async ({ project, ...flags }: ProjectFlags) => {
      const search = { project_id: project };
      const found = await askRunning<Version[]>(context, flags, { path: sites_path, search });
      const none = `${project}: nothing is published`;
      outList(effects, { lines: found.map(versionLine), none });
    });
  withProject(withRemote(site.command("show").argument("<version>", "its number")))
    .description("print the site file of a version, as JSON")
    .action(async (version: string, { project, ...flags }: ProjectFlags) => {
      const search = { project_id: project };
      const path = `${sites_path}/${numberIn(version)}`;
      const file = await askRunning<unknown>(context, flags, { path, search });
      effects.out(`${JSON.stringify(file, null, 2)}\n`);
    });
  withProject(withRemote(site.command("diff").argument("<version>", "its number"), "read"))
    .argument("[against]", "number of the other one; by default the one before it of its site")
    .description("show what a version changes, by keys and names of fields")
    .action(async (
      version: string,
      against: string | undefined,
      { project, ...flags }: ProjectFlags,
    ) => {
      const search = {
        project_id: project,
        ...(against === undefined ? {} : { against: numberIn(against) }),
      };
      const path = `${sites_path}/${numberIn(version)}/diff`;
      const found = await askRunning<{ against: number; changes: Change[] }>(context, flags, {
        ...{ path, search },
      });
      const none = `version ${version} says the same as version ${found.against}`;
      outList(effects, { lines: found.changes.map(changeLine), none });
    });
  withProject(withRemote(site.command("withdraw").argument("<site>", "the site's key")))
    .description("offer a site to no gateway any more; gateways keep what they have")
    .action(async (key: string, { project, ...flags }: ProjectFlags) => {
      const search = { project_id: project, site: key };
      await askRunning(context, flags, { method: "DELETE", path: sites_path, search });
      effects.out(`no gateway is offered the site ${key}\n`);
    });
}

function addPublish(site: Command, context: Context): void {
  withRemote(site.command("publish").argument("<file>", "a site file, TOML or JSON (*.json)"))
    .description("give a site file to the gateway that reads its sources; the rest is applied here")
    .option("--project <key>", "the project that the file must be of")
    .option("--gateway <name>", "the name of the gateway's token, where several are in reach")
    .option("--dry-run", "only show what would change here")
    .option("--remap", "allow that sensors with data are removed or mapped to something else")
    .option("--again", "make a new version although the newest says the same")
    .action(async (path: string, flags: PublishFlags) => {
      const { project, gateway, dryRun = false, remap = false, again = false, ...remote } = flags;
      const body = await readDataFile(path);
      const key = (body as { project?: { key?: unknown } } | null)?.project?.key;
      if (project !== undefined && key !== project) {
        throw new Fault("invalid", `${path} is of the project ${key}, not of ${project}`);
      }
      const search = {
        ...{ dry_run: `${dryRun}`, remap: `${remap}`, again: `${again}` },
        ...(gateway === undefined ? {} : { gateway }),
      };
      const question = { path: sites_path, search, body };
      const done = await askRunning<Publication>(context, remote, question);
      context.effects.out(publicationText(done));
    });
}

function publicationText(
  { site, version, result, changes, warnings = [] }: Publication,
): string {
  const ends = {
    published: `site ${site}: version ${version} is published`,
    unchanged: `site ${site}: version ${version} says the same, nothing new is published`,
    dry_run: `site ${site}: nothing is published or changed`,
  } as const;
  return [
    ...changes.map(changeLine),
    ...warnings.map((warning) => `warning: ${warning}\n`),
    `${ends[result]}\n`,
  ].join("");
}

function changeLine({ action, kind, key, fields }: Change): string {
  const sign = { create: "+", update: "~", remove: "-" }[action];
  return `${sign} ${kind} ${key}${fields.length > 0 ? `: ${fields.join(", ")}` : ""}\n`;
}

function versionLine(
  { version, site, author, published_at, is_offered, gateway }: Version,
): string {
  const to = gateway === null ? "gateways" : `the gateway ${gateway}`;
  const offered = is_offered ? `, offered to ${to}` : "";
  return `${version} ${site}: published ${published_at} by ${author}${offered}\n`;
}

function gatewayText({ name, token_name, heard_at, lag_s, waiting_rows, sites }: Gateway): string {
  const lines = sites.map((it) => {
    const { in_force, state, reason } = it;
    const other = state === "in_force" || in_force === null ? "" : `, ${in_force} is in force`;
    const held = it.held_by === null ? "" : `, newer ones are held by ${it.held_by}`;
    const why = reason === null ? "" : `: ${reason}`;
    const of = `${it.project_key} > ${it.site}`;
    return `  ${of}: version ${it.version} is ${state.replaceAll("_", " ")}${other}${held}${why}\n`;
  });
  const wait = waiting_rows === 1 ? "1 row waits" : `${waiting_rows} rows wait`;
  const head = `${token_name} (${name}): heard ${heard_at}, ${lag_s} s behind, ${wait}\n`;
  return head + lines.join("");
}

function withProject(command: Command): Command {
  return command.requiredOption("--project <key>", "the project, by key or id");
}

function numberIn(text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw new Fault("invalid", `give the number of a version, such as 3, not ${text}`);
}
