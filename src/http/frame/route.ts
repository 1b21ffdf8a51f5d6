// A route as a value: its purpose, who may call it, what it takes and answers, what it does.
import type { Meter } from "../../base/budget.ts";
import type { Effects } from "../../base/effects.ts";
import type { FaultCode } from "../../base/fault.ts";
import type { Answer } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import type { PlannedNoun } from "../../model/setting.ts";
import type { Grant, Scope } from "../../model/access/token.ts";
import type { Format } from "../../wire/format.ts";
import type { ErrorForm } from "./problem.ts";

/** How a request ended: its answer went out whole, or why not. */
export type Ending = "complete" | "failed" | "cancelled" | "stalled";

/** What a handler gets: everything about the request was checked before it. */
export type RouteContext<P extends readonly Param[]> = {
  readonly request: Request;
  readonly request_id: string;
  /** Parameters in their parsed form. */
  readonly values: ParamValues<P>;
  /** Null only on a public route. */
  readonly grant: Grant | null;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Aborts when the service stops: what would never end by itself ends then. */
  readonly closing: AbortSignal;
  /** Whether the token still allows this request: for what goes on for long. */
  readonly isAllowed: () => boolean;
  /** The format that the client asked for; `arrow` on a route that has but one. */
  readonly format: Format;
  /** The names of the columns that the client asked for; none for all of them. */
  readonly columns: readonly string[];
  /** The client's, as far as it is known. */
  readonly address: string | null;
  readonly effects: Pick<Effects, "sleep">;
  /** Counts what is held of the body, until the request is answered. */
  readonly meter: Meter;
  /** The request runs until this settles too: a streamed body; rejected when it failed. */
  readonly hold: (ending: Promise<Ending>) => void;
  /** Takes the rows of a streamed answer, where it is the service itself that asks. */
  readonly take?: (answer: Answer) => void;
};

/** What routes are about, in the order of the reference, which has a page for each. */
export const areas = {
  send: {
    title: "Send samples",
    doc: "Rows, line protocol, and what clients of InfluxDB and Prometheus write.",
  },
  signals: {
    title: "Signals",
    doc: "Samples as they were sent or in standard units, newest values, counters, sensors.",
  },
  prometheus: {
    title: "Prometheus queries",
    doc: "What Grafana's own Prometheus source asks.",
  },
  performance: {
    title: "Performance, availability and losses",
    doc: "Measured and expected values by bucket, states of inverters, where the energy went.",
  },
  query: {
    title: "SQL and links",
    doc: "Questions in SQL over what a token may read, and links that read without one.",
  },
  alarms: {
    title: "Alarms and rules",
    doc: "Occurrences, their feed and stream, what operators do, the rules that raise them.",
  },
  issues: {
    title: "Issues",
    doc: "What is wrong with a plant, its history, and what other systems say of it.",
  },
  work: { title: "Work orders", doc: "Who does what about an issue." },
  plant: {
    title: "Plant",
    doc: "Projects, sites, devices, measures, tags, views, and how long data are kept.",
  },
  access: { title: "Access", doc: "Tokens, users, sessions." },
  webhooks: { title: "Webhooks", doc: "Subscriptions, deliveries, signing keys." },
  operation: {
    title: "Operation",
    doc: "Health, metrics, backups, the description of the service.",
  },
} as const;

export type Area = keyof typeof areas;

export const area_names = Object.keys(areas) as readonly Area[];

/** JSON Schema, or what makes it once the API description is asked for: that takes a while. */
export type JsonSchema = object | (() => object);

/** The schema itself. */
export function madeSchema(schema: JsonSchema): object {
  return schema instanceof Function ? schema() : schema;
}

/** What a route answers on success, for the API description; `row` is what a row is called. */
export type RouteAnswer =
  | { readonly kind: "stream"; readonly row: string; readonly columns: readonly Column[] }
  /** Streamed too: JSON, each row whole, or a table in the format that is asked for. */
  | { readonly kind: "rows"; readonly row: string; readonly columns: readonly Column[] }
  /** What is `streamed` is sent as the client takes it. */
  | {
    readonly kind: "json";
    readonly status?: number;
    /** Another status of success, where what is asked for was there already, or is new. */
    readonly also?: number;
    /** Told by an ETag: a client that has it gets 304. */
    readonly tagged?: true;
    readonly schema: JsonSchema;
    readonly streamed?: true;
  }
  | { readonly kind: "text"; readonly media_type: string }
  /** Sends a browser on, with this status. */
  | { readonly kind: "redirect"; readonly status: number }
  /** 204: no more than that it is done. */
  | { readonly kind: "nothing" }
  /** A file, of one of these types. */
  | { readonly kind: "bytes"; readonly media_types: readonly string[] }
  /** Server-sent events, whose data is JSON of this schema. */
  | { readonly kind: "events"; readonly schema: JsonSchema };

/** Whether an answer is sent piece by piece, so that its length is not known before. */
export function isStreamed(answer: RouteAnswer): boolean {
  return ["stream", "rows", "events"].includes(answer.kind) ||
    answer.kind === "json" && answer.streamed === true;
}

/** What a route reads from its body. */
export type RouteBody = {
  readonly media_types: readonly string[];
  readonly limit_bytes: number;
  readonly doc: string;
  readonly schema?: JsonSchema;
  /** Of a body of rows: the schema of one. */
  readonly row?: JsonSchema;
  /** A body in each media type, as it can be sent. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** May be left out. */
  readonly optional?: true;
  /** Read as it comes, and its reader counts what is held; another body is held whole. */
  readonly streamed?: true;
  /** How long it may take to arrive, where that is not `request_limits.body_deadline_ms`. */
  readonly deadline_ms?: number;
};

/** A header that a route reads beside those of every request. */
export type RouteHeader = {
  readonly name: string;
  readonly required: boolean;
  readonly doc: string;
  /** A value for the examples of the reference; a shell's variables may stand in it. */
  readonly example: string;
};

/** One operation of the service. */
export type Route<P extends readonly Param[] = readonly Param[]> = {
  readonly name: string;
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** OpenAPI path, for example `/platform/v1/issues/{id}/history`. */
  readonly path: string;
  /** What it is about, by default operation; `routes.ts` says it for all. */
  readonly area?: Area;
  readonly summary: string;
  readonly doc: string;
  /** Null: public, no token. */
  readonly scope: Scope | null;
  /**
   * The parameter that names the project or projects which the token must reach: by id, or, where
   * the name is one of other tools', by key or id (see `reachedProject`).
   */
  readonly project: "project_id" | "project_ids" | "db" | "bucket" | "project" | null;
  /** A parameter that may have the token, of tools that send it so. */
  readonly token_param?: "p";
  /** Its path has the id and the secret of a link, whose maker's rights it has. */
  readonly by_link?: true;
  readonly params: P;
  readonly headers?: readonly RouteHeader[];
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  /** What can be wrong beside what every such route can find (see `problemsOf`). */
  readonly faults?: readonly FaultCode[];
  /** How it says what is wrong, where its clients don't read problem documents. */
  readonly errors?: ErrorForm;
  readonly deprecated?: true;
  /** What the setting `planned_off` calls it, where a site can switch it off. */
  readonly noun?: PlannedNoun;
  /** Not there, or switched off: it answers 501 whatever its parameters are. */
  readonly planned?: true;
  /** A read that is whole in memory: it has the tag of its bytes, and 304 for who has them. */
  readonly is_tagged?: true;
  /** Answered while the service stops, too. */
  readonly to_the_end?: true;
  /** What calls it has parameters of its own, of which the handler reads what it knows. */
  readonly any_query?: true;
  /**
   * The time of the samples that decide the answer with these values, and nothing else that is not
   * of the plant's outline; or what to ask so that it is. Left out: more decides it.
   */
  readonly spanOf?: (values: ParamValues<P>) => SampleSpan | { readonly ask: string };
  readonly handle: (context: RouteContext<P>) => Promise<Response> | Response;
};

/** Sample times, [from_us, to_us). */
export type SampleSpan = { readonly from_us: number; readonly to_us: number };

/** Gives a route its parameters' types: `route({ params: [...], handle: ({ values }) => … })`. */
export function route<const P extends readonly Param[]>(definition: Route<P>): Route {
  return definition as unknown as Route;
}
