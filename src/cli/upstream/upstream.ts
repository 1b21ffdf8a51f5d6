// `upstream`: how a gateway's forwarding goes, rows that its centre won't take, and site files.
import { counted } from "../../base/count.ts";
import type { Command } from "commander";
import { exit_codes } from "../frame/exit.ts";
import { askRunning, type Context, outList } from "../frame/context.ts";
import { type RemoteFlags, withRemote } from "../frame/remote.ts";

type ProjectFlags = RemoteFlags & { readonly project?: string };

/** What `GET /platform/v1/upstream` says, as far as it is printed. */
type State = {
  readonly is_set: boolean;
  readonly url: string | null;
  readonly connected: boolean;
  readonly reason: string | null;
  readonly next_try_at: string | null;
  readonly max_kbit: number;
  readonly rows_per_s: number;
  readonly projects: readonly {
    readonly key: string;
    readonly lag_s: number;
    readonly waiting_rows: number;
    readonly set_aside_rows: number;
    readonly lost: readonly {
      readonly kept: string;
      readonly day: string;
      readonly rows: number;
    }[];
    readonly spans: number;
    readonly waiting: readonly { readonly from: string; readonly to: string | null }[];
  }[];
  readonly sites: readonly {
    readonly site: string;
    readonly version: number;
    readonly state: string;
    readonly reason: string | null;
    readonly in_force: number | null;
    readonly held_by: string | null;
    readonly trial_left_s: number | null;
    readonly missing: string | null;
    readonly changed_here: boolean;
  }[];
  readonly days: readonly { readonly day: string; readonly bytes: number; readonly rows: number }[];
};

/** An entry of `GET /platform/v1/upstream/set-aside`. */
type Aside = {
  readonly tag: string;
  readonly lane: string;
  readonly rows: number;
  readonly first_ts: string;
  readonly last_ts: string;
  readonly reason: string;
};

/** What `POST /platform/v1/upstream/verify` says of a day. */
type Comparison = {
  readonly day: string | null;
  readonly next_day: string | null;
  readonly hours: number;
  readonly rows: number;
  readonly differing: number;
  readonly sent_again: number;
  readonly waiting: number;
  readonly set_aside: number;
  readonly more: number;
};

/** The flags of `verify --upstream`. */
export type VerifyFlags = ProjectFlags & { readonly from?: string; readonly to?: string };

/**
 * Compares a running gateway's rows with its centre's, the newest day first, and lets what differs
 * be sent again. The exit code says whether anything differed.
 */
export async function verifyUpstream(context: Context, flags: VerifyFlags): Promise<void> {
  const { effects, exit } = context;
  const { from = "", to } = flags;
  let differing = 0;
  for (const project_id of await projectsOf(context, flags)) {
    const sum = { days: 0, hours: 0, rows: 0, differing: 0, sent_again: 0 };
    const others = { waiting: 0, set_aside: 0, more: 0 };
    for (let day: string | null | undefined = to; day !== null && (day ?? from) >= from;) {
      const search: Record<string, string> = { project_id, ...day === undefined ? {} : { day } };
      const found: Comparison = await askRunning<Comparison>(context, flags, {
        method: "POST",
        path: `${path}/verify`,
        search,
      });
      const is_asked = found.day !== null && found.day >= from;
      for (const name of ["hours", "rows", "differing", "sent_again"] as const) {
        sum[name] += is_asked ? found[name] : 0;
      }
      for (const name of ["waiting", "set_aside", "more"] as const) others[name] += found[name];
      if (is_asked) sum.days++;
      effects.err(
        `${project_id} ${found.day ?? "has no rows"}: hours that differ: ${found.differing}\n`,
      );
      day = found.next_day;
    }
    differing += sum.differing;
    effects.out(
      `${project_id}: ${counted(sum.days, "day")}, ${counted(sum.rows, "row")} in ${
        counted(sum.hours, "hour")
      } of tags compared, ` +
        `${sum.differing} differ: ${sum.sent_again} sent again; ${others.waiting} wait, ` +
        `${others.set_aside} are set aside, of ${others.more} the centre has more\n`,
    );
  }
  if (differing > 0) exit(exit_codes.failed);
}

/** Adds `upstream`. */
export function addUpstreamCommand(program: Command, context: Context): void {
  const { effects } = context;
  const upstream = program.command("upstream")
    .description("show how forwarding to the centre goes, and what the centre does not take")
    .addHelpText("after", upstream_help);
  withRemote(upstream.command("status"), "read")
    .description("show whether the centre is reached, what waits, and what a day costs")
    .option("--json", "print the whole answer as JSON")
    .action(async ({ json, ...flags }: RemoteFlags & { readonly json?: true }) => {
      const state = await askRunning<State>(context, flags, { path });
      effects.out(json ? `${JSON.stringify(state, undefined, 2)}\n` : stateText(state));
    });
  withRemote(upstream.command("join").argument("<url>", "the centre's address, without a path"))
    .argument("<code>", "what `wattkeeper gateway enrol` printed there")
    .description("forward to a centre from now on, let in by a code that is valid once")
    .action(async (url: string, code: string, flags: RemoteFlags) => {
      await askRunning(context, flags, { path: admin_path, body: { url, code } });
      effects.out(`${url} is the centre from now on; see \`wattkeeper upstream status\`\n`);
    });
  withRemote(upstream.command("leave"))
    .description("forget the centre that was joined; what is not forwarded goes on waiting")
    .action(async (flags: RemoteFlags) => {
      await askRunning(context, flags, { method: "DELETE", path: admin_path });
      effects.out("this service forwards to no centre\n");
    });
  addSiteCommands(upstream, context);
  const aside = upstream.command("set-aside")
    .description("rows that were forwarded and that the centre does not take");
  withProject(withRemote(aside.command("list"), "read"))
    .description("list them by tag, with the centre's reason")
    .action(async (flags: ProjectFlags) => {
      for (const key of await projectsOf(context, flags)) {
        const rows = await askRunning<Aside[]>(context, flags, {
          path: `${path}/set-aside`,
          search: { project_id: key },
        });
        outList(effects, { lines: rows.map(asideLine), none: `${key}: nothing is set aside` });
      }
    });
  withProject(withRemote(aside.command("retry"), "operate"))
    .description("send them again, once the reason is mended at the centre")
    .action(async (flags: ProjectFlags) => {
      for (const key of await projectsOf(context, flags)) {
        const { rows } = await askRunning<{ readonly rows: number }>(context, flags, {
          method: "POST",
          path: `${path}/set-aside/retry`,
          search: { project_id: key },
        });
        effects.out(`${key}: ${counted(rows, "row")} sent again\n`);
      }
    });
}

/** What a person at the gateway does with the centre's site files. */
function addSiteCommands(upstream: Command, context: Context): void {
  const { effects } = context;
  const hold_path = `${admin_path}/hold`;
  withRemote(upstream.command("hold"))
    .description("apply no newer site file of the centre from now on")
    .action(async (flags: RemoteFlags) => {
      await askRunning(context, flags, { method: "POST", path: hold_path });
      effects.out("newer site files of the centre wait until `wattkeeper upstream release`\n");
    });
  withRemote(upstream.command("release"))
    .description("apply the centre's newest site files again")
    .action(async (flags: RemoteFlags) => {
      await askRunning(context, flags, { method: "DELETE", path: hold_path });
      effects.out("the centre's site files are applied again\n");
    });
  const actions = {
    rollback: "put the file back that a site had before the centre's version in force",
    retry: "try the newest version of a site once more that was rolled back or refused",
  } as const;
  for (const [action, what] of Object.entries(actions)) {
    withRemote(upstream.command(action).argument("<site>", "the site's key"))
      .description(what)
      .action(async (site: string, flags: RemoteFlags) => {
        const sites = await askRunning<State["sites"]>(context, flags, {
          method: "POST",
          path: `${admin_path}/sites/${encodeURIComponent(site)}/${action}`,
        });
        effects.out(sites.filter((it) => it.site === site).map(siteLine).join(""));
      });
  }
}

const path = "/platform/v1/upstream";
const admin_path = "/admin/v1/upstream";

function withProject(command: Command): Command {
  return command.option("--project <key>", "only this project; all of them by default");
}

const upstream_help = `
A service that joined a centre, or has the settings upstream_url and upstream_token, forwards what
it stores to that centre. These commands ask the service that runs on the data directory, or the one
at --url.

  wattkeeper upstream status
  wattkeeper upstream hold
  wattkeeper upstream rollback plant-1
  wattkeeper upstream set-aside list --project plant-1
  wattkeeper upstream set-aside retry --project plant-1`;

/** The keys of the projects that are meant. */
async function projectsOf(context: Context, flags: ProjectFlags): Promise<readonly string[]> {
  if (flags.project !== undefined) return [flags.project];
  const { projects } = await askRunning<State>(context, flags, { path });
  if (projects.length === 0) context.effects.err("this service forwards nothing\n");
  return projects.map(({ key }) => key);
}

function stateText(state: State): string {
  if (!state.is_set) {
    return "no centre: join one with `wattkeeper upstream join`, or set upstream_url\n";
  }
  const { url, connected, reason, next_try_at, max_kbit, rows_per_s } = state;
  const limit = max_kbit > 0 ? `, at most ${max_kbit} kbit/s` : "";
  const next = next_try_at === null ? "" : `; the next try is at ${next_try_at}`;
  return [
    `${url}: ${connected ? "connected" : "not connected"}, ${rows_per_s} rows/s${limit}\n`,
    ...reason === null ? [] : [`  ${reason}${next}\n`],
    ...state.projects.map((project) =>
      `${project.key}: ${project.lag_s} s behind, ${waitText(project)}, ` +
      `${project.set_aside_rows} set aside\n` +
      project.waiting.filter(({ to }) => to !== null).slice(0, 5)
        .map(({ from, to }) => `  stored from ${from} to ${to}\n`).join("") +
      project.lost.slice(0, 5).map(({ kept, day, rows }) =>
        `  lost: ${
          counted(rows, kept.replace(/s$/, ""))
        } of ${day}, for which the disk had no room\n`
      ).join("")
    ),
    ...state.sites.map(siteLine),
    ...state.days.slice(0, 7).map(({ day, bytes, rows }) =>
      `${day}: ${sizeText(bytes)} sent for ${counted(rows, "row")}\n`
    ),
  ].join("");
}

function waitText({ waiting_rows, spans }: State["projects"][number]): string {
  const wait = waiting_rows === 1 ? "waits" : "wait";
  return `${counted(waiting_rows, "row")} ${wait} in ${counted(spans, "span")}`;
}

/** How it goes with a site whose file comes from the centre. */
function siteLine(site: State["sites"][number]): string {
  const { site: key, version, state, reason, in_force, missing, trial_left_s } = site;
  const is_newest = state === "in_force";
  const other = in_force === null ? "a file that was declared here" : `version ${in_force}`;
  return [
    `site ${key}: version ${version} is ${state.replaceAll("_", " ")}`,
    is_newest || state === "trying" ? "" : `, ${other} is in force`,
    state === "trying" ? `, for ${trial_left_s} s more` : "",
    site.changed_here ? ", changed here since" : "",
    "\n",
    reason === null ? "" : `  ${reason}\n`,
    missing === null ? "" : `  ${missing}\n`,
    site.held_by === null ? "" : `  newer versions are held by ${site.held_by}\n`,
  ].join("");
}

/** 84.1 MB. */
export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function asideLine({ tag, lane, rows, first_ts, last_ts, reason }: Aside): string {
  return `${tag} (${lane}): ${counted(rows, "row")} from ${first_ts} to ${last_ts}: ${reason}\n`;
}
