// What a centre has for its gateways: digests to compare by, and codes that let a gateway in.
import * as z from "zod";
import { refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { checkTokenRequest } from "../../engine/access/token_request.ts";
import { enrol_form, enrolled_form } from "../../engine/upstream/enrol.ts";
import { exchangeAlarms } from "../../engine/upstream/alarm_take.ts";
import { exchangeWork } from "../../engine/upstream/work_take.ts";
import { gateway_form } from "../../engine/upstream/gateway.ts";
import { targets_form } from "../../engine/upstream/target.ts";
import { answerDigests, digest_form, digests_form } from "../../engine/upstream/verify.ts";
import { covers, reaches } from "../../model/access/token.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { textUpTo } from "../../model/data/text_form.ts";
import { exchange_form, exchanged_form } from "../../model/upstream/alarm.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { work_exchange_form, work_exchanged_form } from "../../model/upstream/work.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { photoLineRoutes } from "./photo.ts";
import { version_state_schema } from "./pulled.ts";
import { pullRoutes } from "./version.ts";

/** What a centre has for its gateways beside the ways in that everybody has. */
export function centreRoutes(services: Services): readonly Route[] {
  return [
    meetRoute(services),
    alarmsRoute(services),
    workRoute(services),
    ...photoLineRoutes(services),
    heardRoute(services),
    digestsRoute(services),
    codeRoute(services),
    enrolRoute(services),
    ...pullRoutes(services),
  ];
}

function meetRoute({ gateways, catalog, published_sites }: Services): Route {
  return route({
    name: "ingest_gateway",
    method: "POST",
    path: "/ingest/v1/gateways",
    summary: "Say how a gateway is",
    doc: "A gateway says every minute how its forwarding goes, and hears which projects its " +
      "token can send to, and the newest version of each site file that is published for it. " +
      "/platform/v1/gateways shows it.",
    scope: "ingest",
    project: null,
    params: [],
    body: formBody(gateway_form, {
      doc: "What the gateway says of itself.",
      limit_bytes: upstream_limits.enrol_bytes,
    }),
    answer: { kind: "json", schema: () => z.toJSONSchema(targets_form) },
    handle: async ({ request, grant }) => {
      const facts = parseForm(gateway_form, await readData(request), {
        refuse: (flaws) => refusal("the gateway can't be understood", flaws),
      });
      await gateways.hear(grant!, facts);
      const projects = catalog.projects.filter((project) => reaches(grant!, project));
      return Response.json({
        projects: projects.map(({ id, key }) => ({ project_id: id, key })),
        sites: await published_sites.offers(grant!, facts.name),
      });
    },
  });
}

function alarmsRoute(services: Services): Route {
  return route({
    name: "ingest_gateway_alarms",
    method: "POST",
    path: "/ingest/v1/gateways/alarms",
    summary: "Exchange alarms with a gateway",
    doc: "A gateway tells the alarms that it judges for this centre, and up to when it has told " +
      "what it stored; it hears what was done with these alarms here. Sending the same again " +
      "changes nothing.",
    scope: "ingest",
    project: "project_id",
    params: [project_param],
    body: formBody(exchange_form, {
      doc: "What the gateway tells.",
      limit_bytes: upstream_limits.alarm_bytes,
    }),
    answer: { kind: "json", schema: () => z.toJSONSchema(exchanged_form) },
    handle: async ({ request, values, grant }) => {
      const said = parseForm(exchange_form, await readData(request), {
        refuse: (flaws) => refusal("the gateway can't be understood", flaws),
      });
      const project = projectOf(services, values.project_id);
      const answer = await exchangeAlarms(services, said, { project, grant: grant! });
      services.wakeLate();
      return Response.json(answer);
    },
  });
}

function workRoute(services: Services): Route {
  return route({
    name: "ingest_gateway_work",
    method: "POST",
    path: "/ingest/v1/gateways/work",
    summary: "Exchange issues and work orders with a gateway",
    doc: "A gateway tells what was changed there of issues and work orders of a project, and " +
      "hears what was changed here of what is at its sites, and of what is at none. Both sides " +
      "put all changes in the same order and come to the same. Sending the same again changes " +
      "nothing.",
    scope: "sync",
    project: "project_id",
    params: [project_param],
    body: formBody(work_exchange_form, {
      doc: "What the gateway tells.",
      limit_bytes: upstream_limits.work_bytes,
    }),
    answer: { kind: "json", schema: () => z.toJSONSchema(work_exchanged_form) },
    handle: async ({ request, values, grant }) => {
      const said = parseForm(work_exchange_form, await readData(request), {
        refuse: (flaws) => refusal("the gateway can't be understood", flaws),
      });
      const project = projectOf(services, values.project_id);
      return Response.json(await exchangeWork(services, said, { project, grant: grant! }));
    },
  });
}

function heardRoute({ gateways, catalog }: Services): Route {
  return route({
    name: "gateways",
    method: "GET",
    path: "/platform/v1/gateways",
    summary: "Gateways and when they were heard",
    doc:
      "The gateways that were heard, the last one first: those whose projects are all in reach " +
      "of the token. Each is heard every minute while its line is up; one that is not is away, " +
      "and silences of its tags are judged once it has told what it stored.",
    scope: "read",
    project: null,
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(heard_schema)) },
    handle: ({ grant }) => {
      const shown = gateways.list().filter((it) => covers(grant!, it));
      const awayOf = (it: typeof shown[number]) => {
        const reason = gateways.awayReason(it);
        return { is_away: reason !== null, away_reason: reason };
      };
      return Response.json(shown.map((it): z.input<typeof heard_schema> => ({
        ...awayOf(it),
        ...{ name: it.name, token_name: it.token_name, version: it.version },
        ...{ lag_s: it.lag_s, waiting_rows: it.waiting_rows, lost_rows: it.lost_rows },
        heard_at: instantText(it.heard_us),
        sites: Array.from(it.reports.values(), ({ project_id, changed_us, ...site }) => ({
          ...site,
          project_key: catalog.project(project_id)?.key ?? project_id,
          changed_at: instantText(changed_us),
        })),
      })));
    },
  });
}

const heard_schema = gateway_form.extend({
  token_name: z.string().describe("What its token is called."),
  heard_at: z.string().describe("ISO 8601, UTC."),
  is_away: z.boolean().describe("Whether it was not heard for a minute, or since the start."),
  away_reason: z.string().nullable().describe("Why it counts as away; null: it does not."),
  sites: z.array(version_state_schema.extend({ project_key: z.string() }))
    .describe("How the newest versions go of the site files that it pulls, as it told last."),
}).meta({ title: "Gateway" });

function digestsRoute({ database, catalog }: Services): Route {
  return route({
    name: "ingest_digests",
    method: "POST",
    path: "/ingest/v1/digests",
    summary: "Digests of what was sent",
    doc: "How many rows of each named tag there are in each hour of a day (UTC), and a digest of " +
      "them: who sent them compares, and sends again what differs. 409 for digests that this " +
      "version does not make.",
    scope: "ingest",
    project: "project_id",
    params: [project_param],
    faults: ["conflict"],
    body: formBody(digest_form, {
      doc: "The names of the tags, and the day.",
      limit_bytes: upstream_limits.digest_bytes,
    }),
    answer: { kind: "json", schema: () => z.toJSONSchema(digests_form) },
    handle: async ({ request, values }) => {
      const project = projectOf({ catalog }, values.project_id);
      const question = parseForm(digest_form, await readData(request), {
        refuse: (flaws) => refusal("these digests can't be made", flaws),
      });
      return Response.json(await answerDigests({ database, catalog }, project, question));
    },
  });
}

function codeRoute({ gateway_codes, catalog, users, effects }: Services): Route {
  return route({
    name: "gateway_code_post",
    method: "POST",
    path: "/admin/v1/gateways/codes",
    summary: "Make a code for a gateway",
    doc:
      "A code that lets one gateway in, once and within an hour: the gateway gets a token with " +
      "the scopes ingest and sync for these projects. 409 while too many are open.",
    scope: "admin",
    project: null,
    params: [],
    faults: ["conflict"],
    body: formBody(code_form, {
      doc: "What the gateway is called, and the projects that it sends to.",
      limit_bytes: upstream_limits.enrol_bytes,
    }),
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(code_schema) },
    handle: async ({ request, grant }) => {
      const asked = parseForm(code_form, await readData(request), {
        refuse: (flaws) => refusal("no code can be made", flaws),
      });
      const wanted = { ...asked, scopes: ["ingest", "sync"] };
      const maker = { catalog, users, now_us: effects.now_us(), grant: grant! };
      const { code, expires_at } = await gateway_codes.make(checkTokenRequest(wanted, maker));
      return Response.json({ code, expires_at: instantText(expires_at) }, { status: 201 });
    },
  });
}

function enrolRoute({ gateway_codes }: Services): Route {
  return route({
    name: "ingest_enrol",
    method: "POST",
    path: "/ingest/v1/enrol",
    summary: "Let a gateway in by its code",
    doc: "Gives the token that a code was made for; the code is used up. 403 for a code that is " +
      "unknown, used or over.",
    scope: null,
    project: null,
    params: [],
    faults: ["forbidden"],
    body: formBody(enrol_form, { doc: "The code.", limit_bytes: upstream_limits.enrol_bytes }),
    answer: { kind: "json", schema: () => z.toJSONSchema(enrolled_form) },
    handle: async ({ request }) => {
      const { code } = parseForm(enrol_form, await readData(request), {
        refuse: (flaws) => refusal("no gateway can be let in", flaws),
      });
      return Response.json({ token: await gateway_codes.redeem(code) });
    },
  });
}

const code_form = z.strictObject({
  name: textUpTo(limits.name_length).describe("What the gateway's token is called."),
  projects: z.array(textUpTo(limits.name_length)).min(1).max(limits.repeated_values)
    .describe("Projects of one organization, by key or id."),
});

const code_schema = z.strictObject({
  code: z.string().describe("Shown only in this answer."),
  expires_at: z.string().describe("ISO 8601, UTC."),
});
