// The client: each verb of the service as a method.
import type { components } from "./api.ts";
import { type IngestResult, RejectedRows } from "./errors.ts";
import { type Call, isPassing, type Line, pause, type Retry, send, type Value } from "./request.ts";

type Shapes = components["schemas"];

/** A project by its key or id. */
export type Where = { readonly project: string };

/** How a request can be stopped. */
export type Options = { readonly signal?: AbortSignal };

/** The first and the last day (`YYYY-MM-DD`, in the time of the plant), and the buckets. */
export type Buckets = Where & {
  readonly from: string;
  readonly to: string;
  readonly interval?: string;
  readonly groupBy?: readonly ("project_id" | "block_id" | "hierarchy_id")[];
  readonly sensors?: readonly string[];
  readonly blocks?: readonly string[];
  readonly include?: readonly string[];
  readonly columns?: readonly string[];
};

/** Buckets of a component and its measure, such as `inverter.active_power`. */
export type PerformanceAsk = Buckets & {
  readonly timeseries: `${Shapes["Component"]}.${Shapes["Measure"]}`;
  readonly solarBounds?: boolean;
};

/** Which samples: from a time to before another. */
export type SignalAsk = Where & {
  readonly from: Date | string;
  readonly to: Date | string;
  readonly tags?: readonly string[];
  /** As sent (`raw_signal`, the default), or in the unit of the measure. */
  readonly lane?: "raw_signal" | "performance";
  /** Each sample (`raw`, the default), or each minute. */
  readonly resolution?: "raw" | "1m";
  /** One row each such time instead, such as `15m`. */
  readonly every?: string;
  readonly include?: readonly string[];
  readonly columns?: readonly string[];
};

/** Where a feed begins: at a time of storing, or after the cursor of a page. */
export type Feed = Where & Options & {
  readonly since?: Date | string;
  readonly cursor?: string;
  /**
   * Asks again after so many milliseconds when nothing more is there, also while the service is
   * away once it has answered; ends then without.
   */
  readonly followMs?: number;
  readonly limit?: number;
  /** Other parameters of the endpoint, such as `tag`. */
  readonly params?: Readonly<Record<string, Value>>;
};

/** Rows, and the cursor after them: keep it, and read on from it in another run. */
export type Page<T> = { readonly rows: readonly T[]; readonly cursor: string };

/** What is read as a table: see `arrow`. */
export type Tables = {
  readonly performance: PerformanceAsk;
  readonly availability: Buckets;
  readonly losses: Buckets;
  readonly signals: SignalAsk;
};

const pageRows = 100_000;
const listRows = 10_000;
const ingestRows = 20_000;

/** How a whole Arrow stream ends. One that broke off between two batches is read without an error. */
const arrowEnd = [255, 255, 255, 255, 0, 0, 0, 0];

/**
 * A client of a service. What is refused for a time (429, 503) is sent again after `Retry-After`;
 * so is what broke off, where that can't be done twice.
 */
export class Wattkeeper {
  readonly #line: Line;
  #projects: Promise<readonly Shapes["ProjectsAnswerProject"][]> | undefined;

  constructor(
    url: string,
    token: string,
    { retry = {}, fetch: fetcher = globalThis.fetch }: {
      readonly retry?: Retry;
      readonly fetch?: typeof fetch;
    } = {},
  ) {
    if (!/^https?:\/\//.test(url)) {
      throw new TypeError(`give the address of the service, such as http://plant:8480, not ${url}`);
    }
    const usual = { attempts: 5, firstMs: 500, longestMs: 30_000 };
    this.#line = { url, token, fetch: fetcher.bind(globalThis), retry: { ...usual, ...retry } };
  }

  /** The projects that the token reaches, with their sites and time zones. */
  async projects(options: Options = {}): Promise<readonly Shapes["ProjectsAnswerProject"][]> {
    const path = "/platform/v1/meta/projects";
    const answer = await this.#json<Shapes["ProjectsAnswer"]>(get(path), options);
    return answer.projects;
  }

  /** What `performance` can be asked for: each component and measure that a sensor has. */
  async timeseries(
    where: Where,
    options: Options = {},
  ): Promise<readonly PerformanceAsk["timeseries"][]> {
    const call = await this.#within(get("/platform/v1/meta/devices"), where);
    const { devices, sensors } = await this.#json<Shapes["MetaDevicesAnswer"]>(call, options);
    const all = [...sensors, ...devices.flatMap((device) => device.sensors)];
    const names = all.map((it) => `${it.component}.${it.component_measure}`);
    return [...new Set(names)].toSorted() as PerformanceAsk["timeseries"][];
  }

  /** Measured and expected values by bucket; `ts_utc` is the start of each as an instant. */
  performance(
    ask: PerformanceAsk,
    options: Options = {},
  ): Promise<readonly Shapes["PerformanceRow"][]> {
    return this.#rows(performanceCall(ask), ask, options);
  }

  /** Availability of the inverters by bucket (IEC TS 63019). */
  availability(
    ask: Buckets,
    options: Options = {},
  ): Promise<readonly Shapes["AvailabilityRow"][]> {
    return this.#rows(bucketCall("availability", ask), ask, options);
  }

  /** Expected energy by bucket, split into produced energy and losses by cause. */
  losses(ask: Buckets, options: Options = {}): Promise<readonly Shapes["LossRow"][]> {
    return this.#rows(bucketCall("losses", ask), ask, options);
  }

  /** Values of tags: all of them, read page by page. */
  async signals(
    ask: SignalAsk,
    options: Options = {},
  ): Promise<readonly Shapes["SignalRow"][]> {
    const rows: Shapes["SignalRow"][] = [];
    for (;;) {
      const page = { limit: pageRows, offset: rows.length };
      const found = await this.#rows<Shapes["SignalRow"]>(signalCall(ask, page), ask, options);
      for (const row of found) rows.push(row);
      if (found.length < pageRows) return rows;
    }
  }

  /**
   * The rows of an answer as an Arrow stream (of signals at most the first 100 000);
   * `tableFromIPC` of apache-arrow reads it, as `readTable` of `wattkeeper/arrow` does.
   */
  async arrow<N extends keyof Tables>(
    name: N,
    ask: Tables[N],
    options: Options = {},
  ): Promise<Uint8Array> {
    const calls: { readonly [K in keyof Tables]: (ask: Tables[K]) => Call } = {
      performance: performanceCall,
      availability: (ask) => bucketCall("availability", ask),
      losses: (ask) => bucketCall("losses", ask),
      signals: (ask) => signalCall(ask, { limit: pageRows }),
    };
    const call = await this.#within(calls[name](ask), ask);
    const read = async (response: Response) => {
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (!arrowEnd.every((byte, i) => bytes.at(i - arrowEnd.length) === byte)) {
        throw new Error("the answer broke off");
      }
      return bytes;
    };
    const accept = "application/vnd.apache.arrow.stream";
    return await send(this.#line, { ...call, accept }, { ...options, read });
  }

  /** The newest value of each tag. */
  async latest(
    { project, tags }: Where & { readonly tags?: readonly string[] },
    options: Options = {},
  ): Promise<readonly Shapes["LatestValue"][]> {
    const call = get("/platform/v1/signals/latest", { sensor_tag: tags });
    const within = await this.#within(call, { project });
    return (await this.#json<Shapes["SignalsLatestAnswer"]>(within, options)).values;
  }

  /**
   * Sends samples in parts; sending again is safe: those are duplicates. Throws `RejectedRows` at
   * the end if some were rejected, unless `onReject` is `return`.
   */
  async ingest(
    rows: Iterable<Shapes["Sample"]> | AsyncIterable<Shapes["Sample"]>,
    { project, lane = "signal", onReject = "throw" }: Where & {
      readonly lane?: "signal" | "model" | "forecast";
      readonly onReject?: "throw" | "return";
    },
    options: Options = {},
  ): Promise<IngestResult> {
    let sum: IngestResult = { accepted: 0, duplicates: 0, rejected_count: 0, rejected: [] };
    let before = 0;
    for await (const body of partsOf(rows)) {
      const call = { ...post("/ingest/v1/signals", body, { lane }), repeatable: true };
      const within = await this.#within(call, { project });
      const part = await this.#json<IngestResult>(within, options);
      const placed = part.rejected.map((it) => ({ ...it, line: it.line + before }));
      sum = {
        accepted: sum.accepted + part.accepted,
        duplicates: sum.duplicates + part.duplicates,
        rejected_count: sum.rejected_count + part.rejected_count,
        rejected: [...sum.rejected, ...placed],
      };
      before += body.length;
    }
    if (sum.rejected_count > 0 && onReject === "throw") throw new RejectedRows(sum);
    return sum;
  }

  /** Alarms, each with its newest events: all of them; `params` are those of the endpoint. */
  alarms(
    ask: Where & { readonly active?: boolean } & Asked,
    options: Options = {},
  ): Promise<readonly Shapes["AlarmOccurrence"][]> {
    const { active, params } = ask;
    const asked = { ...ask, params: { active, ...params } };
    return this.#all<Shapes["AlarmOccurrence"]>("/platform/v1/alarms", asked, {
      ...options,
      after: (rows) => {
        const last = rows.at(-1);
        if (last === undefined) return {};
        const marks = { after: last.svc_occurrence_ref };
        return params?.sort ? marks : { ...marks, updated_since: last.synced_at };
      },
    });
  }

  /** One alarm with all of its events. */
  async alarm(
    id: string,
    where: Where,
    options: Options = {},
  ): Promise<Shapes["AlarmOccurrence"]> {
    return await this.#one(get(`/platform/v1/alarms/${encodeURIComponent(id)}`), where, options);
  }

  /** Takes an alarm for a user, that of the token by default. */
  claim(id: string, act: Act, options: Options = {}): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("claim", { id, act }, options);
  }

  /** Gives a claimed alarm back into the queue. */
  release(id: string, act: Act, options: Options = {}): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("release", { id, act }, options);
  }

  /** Takes an alarm out of the queue until a time, with the reason. */
  shelve(
    id: string,
    act: Act & { readonly until: Date | string; readonly reason: string },
    options: Options = {},
  ): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("shelve", { id, act }, options);
  }

  /** Puts a shelved alarm back into the queue. */
  unshelve(id: string, act: Act, options: Options = {}): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("unshelve", { id, act }, options);
  }

  /** Ends an alarm with a note of what was found and done. */
  resolve(
    id: string,
    act: Act & { readonly note: string },
    options: Options = {},
  ): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("resolve", { id, act }, options);
  }

  /** Puts a resolved alarm back into the queue. */
  reopen(id: string, act: Act, options: Options = {}): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("reopen", { id, act }, options);
  }

  /** Adds a comment to an alarm's timeline. */
  comment(
    id: string,
    act: Act & { readonly body: string },
    options: Options = {},
  ): Promise<Shapes["AlarmOccurrence"]> {
    return this.#act("comment", { id, act }, options);
  }

  /** Issues with their devices and work orders: all of them, read page by page. */
  issues(ask: Where & Asked, options: Options = {}): Promise<readonly Shapes["Issue"][]> {
    return this.#all("/platform/v1/issues", ask, options);
  }

  /** Opens an issue. */
  createIssue(
    fields: Shapes["IssuePostBody"],
    where: Where,
    options: Options = {},
  ): Promise<Shapes["Issue"]> {
    return this.#one(created("/platform/v1/issues", fields), where, options);
  }

  /** Changes fields of an issue. */
  updateIssue(
    id: string,
    fields: Shapes["IssuePatchBody"] & Where,
    options: Options = {},
  ): Promise<Shapes["Issue"]> {
    return this.#one(...changed(`/platform/v1/issues/${encodeURIComponent(id)}`, fields), options);
  }

  /** Work orders: all of them, read page by page. */
  workOrders(ask: Where & Asked, options: Options = {}): Promise<readonly Shapes["WorkOrder"][]> {
    return this.#all("/platform/v1/work-orders", ask, options);
  }

  /** Makes a work order. */
  createWorkOrder(
    fields: Shapes["WorkOrderPostBody"],
    where: Where,
    options: Options = {},
  ): Promise<Shapes["WorkOrder"]> {
    return this.#one(created("/platform/v1/work-orders", fields), where, options);
  }

  /** Changes fields of a work order. */
  updateWorkOrder(
    id: string,
    fields: Shapes["WorkOrderPatchBody"] & Where,
    options: Options = {},
  ): Promise<Shapes["WorkOrder"]> {
    const path = `/platform/v1/work-orders/${encodeURIComponent(id)}`;
    return this.#one(...changed(path, fields), options);
  }

  /**
   * Samples in the order in which they were stored, late ones included, page by page; minutes with
   * `params: { resolution: "1m" }`.
   */
  replay(feed: Feed): AsyncGenerator<Page<Shapes["SignalRow"]>, void> {
    const params = { resolution: "raw", ...feed.params };
    return this.#follow({ ...feed, params }, {
      path: "/platform/v1/signals",
      first: "received_since",
      most: pageRows,
      marksOf: ({ received_at, ts, sensor_tag }: Shapes["SignalRow"]) => (
        { received_since: received_at, after_ts: ts, after_tag: sensor_tag }
      ),
    });
  }

  /** Events of alarms in the order in which they were stored. */
  alarmEvents(feed: Feed): AsyncGenerator<Page<Shapes["AlarmEvent"]>, void> {
    return this.#follow(feed, {
      path: "/platform/v1/alarms/events",
      first: "updated_since",
      most: listRows,
      marksOf: ({ synced_at, svc_occurrence_ref, event_id }: Shapes["AlarmEvent"]) => (
        { updated_since: synced_at, after: svc_occurrence_ref, after_event_id: event_id }
      ),
    });
  }

  async *#follow<T>(
    { project, since, cursor, followMs, limit, params, signal }: Feed,
    { path, first, most, marksOf }: {
      readonly path: string;
      readonly first: string;
      readonly most: number;
      readonly marksOf: (last: T) => Readonly<Record<string, string>>;
    },
  ): AsyncGenerator<Page<T>, void> {
    if ((since === undefined) === (cursor === undefined)) {
      throw new TypeError("give since, a time to begin at, or cursor, that of the last page");
    }
    let marks: Readonly<Record<string, Value>> = cursor === undefined
      ? { [first]: since }
      : JSON.parse(cursor);
    const rowsOfPage = limit ?? most;
    let hasBegun = false;
    for (;;) {
      const call = get(path, { ...params, ...marks, limit: rowsOfPage });
      let rows: readonly T[];
      try {
        rows = await this.#rows<T>(call, { project }, { signal });
      } catch (error) {
        if (followMs === undefined || !hasBegun || !isPassing(error)) throw error;
        await pause(followMs, signal);
        continue;
      }
      hasBegun = true;
      if (rows.length > 0) {
        marks = marksOf(rows[rows.length - 1]);
        yield { rows, cursor: JSON.stringify(marks) };
      }
      if (rows.length === rowsOfPage) continue;
      if (followMs === undefined) return;
      await pause(followMs, signal);
    }
  }

  /** Every page, of which `after` says where it begins. */
  async #all<T>(
    path: string,
    { params, ...where }: Where & Asked,
    { after = (rows) => ({ offset: rows.length }), ...options }: Options & {
      readonly after?: (rows: readonly T[]) => Readonly<Record<string, Value>>;
    },
  ): Promise<readonly T[]> {
    const rows: T[] = [];
    for (;;) {
      const call = get(path, { ...params, ...after(rows), limit: listRows });
      const page = await this.#rows<T>(call, where, options);
      for (const row of page) rows.push(row);
      if (page.length < listRows) return rows;
    }
  }

  async #act(
    action: string,
    { id, act: { project, ...body } }: { readonly id: string; readonly act: Act },
    options: Options,
  ): Promise<Shapes["AlarmOccurrence"]> {
    const call = post(`/platform/v1/alarms/${encodeURIComponent(id)}/${action}`, body);
    // The service changes nothing where the same user repeats it; a comment would stand twice.
    return await this.#one({ ...call, repeatable: action !== "comment" }, { project }, options);
  }

  async #rows<T>(call: Call, where: Where, options: Options): Promise<readonly T[]> {
    return await this.#json<readonly T[]>(await this.#within(call, where), options);
  }

  async #one<T>(call: Call, where: Where, options: Options): Promise<T> {
    return await this.#json<T>(await this.#within(call, where), options);
  }

  async #json<T>(call: Call, options: Options): Promise<T> {
    return await send(this.#line, call, { ...options, read: (response) => response.json() });
  }

  /** The call with its project by id. */
  async #within(call: Call, { project }: Where): Promise<Call> {
    let id = project;
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(project)) {
      this.#projects ??= this.projects();
      const projects = await this.#projects.catch((error) => {
        this.#projects = undefined;
        throw error;
      });
      id = projects.find(({ key }) => key === project)?.project_id ?? project;
    }
    const name = /performance|availability|losses/.test(call.path) ? "project_ids" : "project_id";
    return { ...call, params: { [name]: id, ...call.params } };
  }
}

/** Who acts on an alarm, by id or e-mail address: the token's user by default. */
export type Act = Where & { readonly user?: string };

/** Other parameters of an endpoint. */
export type Asked = { readonly params?: Readonly<Record<string, Value>> };

function get(path: string, params: Call["params"] = {}): Call {
  return { method: "GET", path, params, repeatable: true };
}

function post(path: string, body: unknown, params: Call["params"] = {}): Call {
  return { method: "POST", path, body, params };
}

/** By this key the service makes it once, however often it is sent. */
function created(path: string, fields: unknown): Call {
  const headers = { "idempotency-key": crypto.randomUUID() };
  return { ...post(path, fields), headers, repeatable: true };
}

function changed(path: string, { project, ...body }: Where & object): [Call, Where] {
  return [{ method: "PATCH", path, body }, { project }];
}

function performanceCall(ask: PerformanceAsk): Call {
  const [component, component_measure] = ask.timeseries.split(".");
  if (component_measure === undefined) {
    throw new TypeError(`give a timeseries such as inverter.active_power, not ${ask.timeseries}`);
  }
  const { solarBounds: use_solar_bounds, interval: time_interval = "OneHour" } = ask;
  const own = { component, component_measure, use_solar_bounds, time_interval };
  return bucketCall("performance-v2", ask, own);
}

function bucketCall(
  name: string,
  { from, to, interval, groupBy, sensors, blocks, include = [], columns }: Buckets,
  own: Call["params"] = {},
): Call {
  return get(`/platform/v1/${name}`, {
    dt_start: from,
    dt_end: to,
    time_interval: interval,
    group_by: groupBy,
    hierarchy_ids: sensors,
    block_ids: blocks,
    include: [...include, "ts_utc"],
    columns,
    ...own,
  });
}

function signalCall(
  { from, to, tags, lane = "raw_signal", every, include, columns, ...ask }: SignalAsk,
  page: Call["params"],
): Call {
  const resolution = every === undefined ? ask.resolution ?? "raw" : undefined;
  const params = { from, to, tag: tags, lane, resolution, every, include, columns };
  return get("/platform/v1/signals", { ...params, ...page });
}

/** Rows in parts that are sent at once. */
async function* partsOf<T>(rows: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let part: T[] = [];
  for await (const row of rows) {
    part.push(row);
    if (part.length < ingestRows) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
