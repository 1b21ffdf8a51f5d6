// The areas of the reference: which page of it shows an endpoint.

/** A page of the reference; the first whose `paths` match an endpoint's address shows it. */
export type Area = {
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  readonly paths: RegExp;
};

/** Every area, in the order of the contents. What is of none of the others is of the last. */
export const areas: readonly Area[] = [
  {
    name: "send",
    title: "Send samples",
    doc: "Rows, line protocol, and what clients of InfluxDB and Prometheus write.",
    paths: /^\/(ingest\/v1\/(?!alarms)|write$|query$|ping$|api\/|prometheus\/.*\/write$)/,
  },
  {
    name: "signals",
    title: "Signals",
    doc: "Samples as they were sent or in standard units, newest values, counters, sensors.",
    paths: /^\/platform\/v1\/(signals|sensors|counters)/,
  },
  {
    name: "prometheus",
    title: "Prometheus queries",
    doc: "What Grafana's own Prometheus source asks.",
    paths: /^\/prometheus\//,
  },
  {
    name: "performance",
    title: "Performance, availability and losses",
    doc: "Measured and expected values by bucket, states of inverters, where the energy went.",
    paths: /^\/platform\/v1\/(performance|availability|losses)/,
  },
  {
    name: "alarms",
    title: "Alarms and rules",
    doc: "Occurrences, their feed and stream, what operators do, the rules that raise them.",
    paths: /^\/(platform\/v1\/alarms|platform\/v1\/rules|ingest\/v1\/alarms)/,
  },
  {
    name: "issues",
    title: "Issues",
    doc: "What is wrong with a plant, its history, and what other systems say of it.",
    paths: /^\/(platform\/v1\/issues|integrations)/,
  },
  {
    name: "work",
    title: "Work orders",
    doc: "Who does what about an issue.",
    paths: /^\/platform\/v1\/work-orders/,
  },
  {
    name: "plant",
    title: "Plant",
    doc: "Projects, sites, devices, measures, tags, views, and how long data are kept.",
    paths: /^\/(platform\/v1\/(meta|views)|admin\/v1\/(sites|organizations|retention))/,
  },
  {
    name: "access",
    title: "Access",
    doc: "Tokens, users, sessions.",
    paths: /^\/(platform\/v1\/session|admin\/v1\/(tokens|users|sessions))/,
  },
  {
    name: "webhooks",
    title: "Webhooks",
    doc: "Subscriptions, deliveries, signing keys.",
    paths: /^\/(webhooks|admin\/v1\/(subscriptions|deliveries|signing-keys))/,
  },
  {
    name: "operation",
    title: "Operation",
    doc: "Health, metrics, backups, queries.",
    paths: /^\//,
  },
];

/** The area that shows an endpoint. */
export function areaOf(path: string): Area {
  return areas.find(({ paths }) => paths.test(path))!;
}

/** The address of an area's page. */
export function areaPath({ name }: Pick<Area, "name">): string {
  return `/docs/api/${name}`;
}
