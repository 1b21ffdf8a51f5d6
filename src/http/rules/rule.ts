// Alarm rules under /platform/v1/rules: listed, made, removed, and tried on the past.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import { Lock } from "../../base/lock.ts";
import { replayRules } from "../../engine/rules/replay.ts";
import { replay_schema, replayAnswer } from "../../engine/rules/replay_shape.ts";
import { putRule, removeRule } from "../../engine/rules/change.ts";
import type { Column, RowOf } from "../../model/data/column.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { parseRule } from "../../model/rules/entry.ts";
import { rule_form } from "../../model/rules/form.ts";
import { parseRuleList } from "../../model/rules/request.ts";
import { readRules, readRuleVersions, rule_origins, type RuleRow } from "../../store/rules/rule.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { StreamContext } from "../frame/answer.ts";
import { match_header, versionsOf } from "../frame/condition.ts";
import { invalid } from "../frame/input.ts";
import { one_site_param, siteOf } from "../frame/site.ts";
import { data_media_types, keyedBody, readData } from "../frame/json_body.ts";
import { projectOf } from "../frame/auth.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import { asksTable, streamTable } from "../frame/row_table.ts";
import type { Services } from "../frame/services.ts";

const path = "/platform/v1/rules";

/** Listing, making, removing and trying rules. */
export function ruleRoutes(services: Services): readonly Route[] {
  return [...readRoutes(services), ...writeRoutes(services), testRoute(services)];
}

function readRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "rules",
      is_tagged: true,
      method: "GET",
      path,
      summary: "Alarm rules",
      doc: "The rules in effect of all sites of a project, or of one site, ordered by site and " +
        "key.",
      scope: "read",
      project: "project_id",
      params: [own_project, { ...one_site_param, doc: "Key or id of the site; all by default." }],
      answer: { kind: "rows", row: "Rule", columns: rule_columns },
      handle: (context) => listRules(services, context),
    }),
    route({
      name: "rule_versions",
      method: "GET",
      path: `${path}/{key}/versions`,
      summary: "Versions of a rule",
      doc: "Every version of a rule, the newest first; also of a rule that was removed.",
      scope: "read",
      project: "project_id",
      params: [key_param, own_project, one_site_param],
      answer: { kind: "json", schema: { type: "array", items: rule_schema } },
      handle: async ({ values }) => {
        const site = siteOf(services, values);
        const { site_no } = site;
        const rows = await services.database.read((connection) =>
          readRuleVersions(connection, { site_no, key: values.key })
        );
        if (rows.length > 0) return Response.json(rows.map((row) => shown(services, row)));
        throw new Fault("not_found", `the site ${site.key} never had a rule ${values.key}`);
      },
    }),
  ];
}

function writeRoutes(services: Services): readonly Route[] {
  const params = [key_param, own_project, one_site_param] as const;
  return [
    route({
      name: "rule_put",
      method: "PUT",
      path: `${path}/{key}`,
      summary: "Make or change a rule",
      doc: "Makes or replaces a rule, from now on. If the body differs from the last version, it " +
        "becomes a new version; otherwise nothing changes. 409 for a rule that is declared in " +
        "the site file.",
      scope: "manage",
      project: "project_id",
      params,
      headers: [rule_match_header],
      body: keyedBody(rule_form, {
        doc: "The rule as JSON or TOML, as in a site file; its key may be left out.",
        limit_bytes: rule_limits.body_bytes,
      }),
      answer: { kind: "json", also: 201, schema: put_schema },
      handle: async ({ request, values, grant }) => {
        const if_match = versionsOf(request.headers.get("if-match"));
        const site = siteOf(services, values);
        const data = await readData(request, data_media_types);
        const target = { site, key: values.key, author: grant!.name, if_match };
        const { row, result } = await putRule(services, data, target);
        const status = result === "created" ? 201 : 200;
        return Response.json({ result, ...shown(services, row) }, { status });
      },
    }),
    route({
      name: "rule_delete",
      method: "DELETE",
      path: `${path}/{key}`,
      summary: "Remove a rule",
      doc: "The rule stops, and its active alarms are cleared. Its versions are kept; a new rule " +
        "with the same key continues their numbers. 409 for a rule that is declared in the site " +
        "file.",
      scope: "manage",
      project: "project_id",
      params,
      headers: [rule_match_header],
      answer: { kind: "json", schema: rule_schema },
      handle: async ({ request, values, grant }) => {
        const if_match = versionsOf(request.headers.get("if-match"));
        const site = siteOf(services, values);
        const target = { site, key: values.key, author: grant!.name, if_match };
        return Response.json(shown(services, await removeRule(services, target)));
      },
    }),
  ];
}

function testRoute(services: Services): Route {
  // Each keeps a processor busy: they wait for one another.
  const lock = new Lock();
  return route({
    name: "rule_test",
    faults: ["gone"],
    method: "POST",
    path: `${path}/test`,
    summary: "Try rules on the past",
    doc: "Evaluates rules on the stored samples of a time range and shows which alarms they " +
      "would have raised. Nothing is changed. Alarms follow the condition only: no operator acts " +
      "on them. Each tag starts with its last value before the range.",
    scope: "read",
    project: "project_id",
    params: test_params,
    body: {
      media_types: data_media_types,
      limit_bytes: rule_limits.body_bytes,
      doc: "Rules as JSON or TOML: the table rules, as in a site file.",
      schema: () => z.toJSONSchema(tried_schema),
    },
    answer: { kind: "json", schema: () => z.toJSONSchema(replay_schema) },
    handle: (context) => testRules(services, context, lock),
  });
}

const rule_match_header = {
  ...match_header,
  doc: "The version that you read, in quotes: 412 if the rule was changed or removed since then.",
};

const key_param = {
  name: "key",
  in: "path",
  kind: "text",
  required: true,
  doc: "The rule's key.",
} as const satisfies Param;

const own_project = { ...project_param, doc: "Project of the site." } as const;

const test_params = [
  own_project,
  one_site_param,
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: true,
    doc: "Start of the range, inclusive.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: true,
    doc: "End of the range, exclusive; now at the latest.",
  },
] as const satisfies readonly Param[];

const rule_columns = [
  { name: "site", kind: "text", nullable: false, doc: "The site's key." },
  { name: "key", kind: "text", nullable: false, doc: "The rule's key." },
  { name: "version", kind: "int32", nullable: false, doc: "Its version, from 1." },
  {
    name: "origin",
    kind: "text",
    nullable: false,
    values: rule_origins,
    doc: "Where the rule is declared and can be changed.",
  },
  {
    name: "author",
    kind: "text",
    nullable: true,
    doc: "Name of the token; null: changed on the machine itself.",
  },
  { name: "valid_from", kind: "instant", nullable: false, doc: "When the version began." },
  {
    name: "valid_to",
    kind: "instant",
    nullable: true,
    doc: "When it ended; null while it is in effect.",
  },
  {
    name: "is_judged_here",
    kind: "bool",
    nullable: false,
    doc: "Whether this service judges it; else a gateway or the centre does, by its judged_at.",
  },
  { name: "tags_watched", kind: "int32", nullable: false, doc: "Number of tags it watches now." },
  {
    name: "suspended",
    kind: "text",
    nullable: true,
    doc: "Why it is suspended: it failed. It starts again when it is changed or when the service " +
      "restarts.",
  },
  {
    name: "definition",
    kind: "text",
    nullable: false,
    // Written out once is enough: its form is long.
    json: { type: "object", additionalProperties: true },
    doc: "The rule with its defaults, as a body for PUT.",
  },
] as const satisfies readonly Column[];

const rule_schema = rowSchema(rule_columns);

const tried_schema = z.strictObject({
  rules: z.array(z.record(z.string(), z.unknown())).min(1).max(rule_limits.site_rules)
    .describe("Rules as PUT takes them, each with its key."),
});

const put_schema = rowSchema([
  {
    name: "result",
    kind: "text",
    nullable: false,
    values: ["created", "updated", "unchanged"],
    doc: "What became of the rule.",
  },
  ...rule_columns,
]);

type Values = { readonly project_id: string; readonly site?: string };

async function listRules(
  services: Services,
  context: StreamContext & { readonly values: Values },
): Promise<Response> {
  const { values } = context;
  const { project_no } = projectOf(services, values.project_id);
  const wanted = values.site === undefined ? undefined : siteOf(services, values);
  const rows = await services.database.read(readRules);
  const here = rows.filter(({ site_no, valid_to }) =>
    valid_to === null && services.catalog.site(site_no)?.project_no === project_no &&
    (wanted === undefined || wanted.site_no === site_no)
  );
  const all = here.map((row) => shown(services, row));
  if (!asksTable(context)) return Response.json(all);
  return await streamTable(context, { columns: rule_columns, batches: [all] });
}

async function testRules(
  services: Services,
  { request, values, signal }: RouteContext<typeof test_params>,
  lock: Lock,
): Promise<Response> {
  const site = siteOf(services, values);
  const range = rangeOf(services, values);
  const rules = parseRuleList(await readData(request, data_media_types));
  const asked = { site, rules, ...range };
  const replay = await lock.run(() => {
    signal.throwIfAborted();
    return replayRules(services, asked, { signal });
  });
  return Response.json(replayAnswer(asked, replay, services.catalog));
}

function rangeOf(
  { effects }: Services,
  { from: from_us, to }: ParamValues<typeof test_params>,
): { readonly from_us: number; readonly to_us: number } {
  if (to <= from_us) throw invalid("to", "must be later than from; are the two swapped?");
  const to_us = Math.min(to, effects.now_us());
  if (to_us <= from_us) throw invalid("from", "must not be in the future");
  if (to_us - from_us <= rule_limits.test_us) return { from_us, to_us };
  throw invalid("to", `give at most ${rule_limits.test_us / 86_400_000_000} days`);
}

function shown({ catalog, rules }: Services, row: RuleRow): RowOf<typeof rule_columns> {
  const { rule_no, key, version, origin, author, valid_from, valid_to, definition } = row;
  return {
    site: catalog.site(row.site_no)!.key,
    ...{ key, version, origin, author },
    valid_from: instantText(valid_from),
    valid_to: valid_to === null ? null : instantText(valid_to),
    tags_watched: valid_to === null ? rules.ofRule(rule_no).length : 0,
    is_judged_here: !rules.elsewhere.has(rule_no),
    suspended: (valid_to === null ? rules.suspended.get(rule_no)?.reason : undefined) ?? null,
    definition: parseRule(definition),
  };
}
