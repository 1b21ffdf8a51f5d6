// `site apply`, `site show` and `site schema`: site files, here or at a running service.
import type { Command } from "commander";
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { followRules } from "../../engine/rules/follow.ts";
import { openRuleEngine } from "../../engine/rules/open.ts";
import { applySite, showSite, type SiteReport } from "../../engine/site/site.ts";
import { openWebhooks } from "../../engine/webhooks/open.ts";
import { siteJsonSchema } from "../../model/site/file.ts";
import { markTagsStale } from "../../store/rollup/stale.ts";
import { type Context, hereOrThere, type Offline } from "../frame/context.ts";
import { readDataFile } from "../frame/data_file.ts";
import { type RemoteFlags, withRemote } from "../frame/remote.ts";

type ApplyFlags = RemoteFlags & { readonly dryRun?: true; readonly remap?: true };

/** Adds `site`. */
export function addSiteCommand(program: Command, context: Context): void {
  const { effects } = context;
  const site = program.command("site").description("apply and show site files");
  withRemote(site.command("apply").argument("<file>", "a site file, TOML or JSON (*.json)"))
    .description("change a site to what the file declares, completely or not at all")
    .option("--dry-run", "only show what would change")
    .option(
      "--remap",
      "allow that sensors with data are removed or mapped to something else; samples stay",
    )
    .action(async (path: string, flags: ApplyFlags) => {
      const file = await readDataFile(path);
      const report = await hereOrThere<SiteReport>(context, flags, {
        makes: true,
        here: (parts) => applyHere(context, { file, flags }, parts),
        there: (ask) => {
          const key = (file as { site?: { key?: unknown } } | null)?.site?.key;
          const { dryRun = false, remap = false } = flags;
          const search = { dry_run: `${dryRun}`, remap: `${remap}` };
          return ask({ method: "PUT", path: pathOf(`${key}`), search, body: file });
        },
      });
      effects.out(reportText(report));
    });
  withRemote(site.command("show").argument("<key>", "the site's key"))
    .description("print the site file of a site in effect, as JSON")
    .action(async (key: string, flags: RemoteFlags) => {
      const file = await hereOrThere<unknown>(context, flags, {
        here: async (parts) => {
          const found = await showSite(parts, key);
          if (found !== undefined) return found;
          const keys = parts.catalog.sites.map((it) => it.key);
          throw new Fault("not_found", `there is no site ${key}${meant(key, keys)}`);
        },
        there: (ask) => ask({ path: pathOf(key) }),
      });
      effects.out(JSON.stringify(file, null, 2) + "\n");
    });
  site.command("schema").description("print the JSON Schema of site files, for editors")
    .action(() => effects.out(JSON.stringify(siteJsonSchema(), null, 2) + "\n"));
}

const pathOf = (key: string) => `/admin/v1/sites/${encodeURIComponent(key)}`;

async function applyHere(
  { effects }: Context,
  { file, flags }: { readonly file: unknown; readonly flags: ApplyFlags },
  parts: Offline,
): Promise<SiteReport> {
  // The service rolls up what is marked here as soon as it runs.
  const roll = { markStale: markTagsStale, wake() {} };
  const rule_engine = await openRuleEngine({ ...parts, effects });
  // The service sends the webhooks of alarms that end here as soon as it runs.
  await openWebhooks({ ...parts, ...rule_engine, effects });
  const follow = followRules({ ...parts, ...rule_engine });
  const { dryRun: dry_run = false, remap } = flags;
  return await applySite({ ...parts, follow, roll, effects }, file, { dry_run, remap });
}

function reportText({ site, dry_run, changes, warnings = [] }: SiteReport): string {
  const signs = { create: "+", update: "~", remove: "-" } as const;
  const lines = changes.map(({ action, kind, key, fields, history }) => {
    const what = fields.length > 0 ? `: ${fields.join(", ")}` : "";
    return `${signs[action]} ${kind} ${key}${what}${history ? " (history follows)" : ""}\n`;
  });
  const count = changes.length === 1 ? "1 change" : `${changes.length} changes`;
  const end = dry_run ? `${count} to make, none made` : `${count} made`;
  const warned = warnings.map((warning) => `warning: ${warning}\n`);
  return `${lines.join("")}${warned.join("")}site ${site}: ${end}\n`;
}
