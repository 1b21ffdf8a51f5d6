// What is done with a session of an OPC UA server, as plain functions of plain data: watching,
// browsing, and reading history piece by piece.
import { Buffer } from "node:buffer";
import {
  AttributeIds,
  type ClientSession,
  type ClientSessionPublishService,
  type ClientSessionRawSubscriptionService,
  DataChangeFilter,
  type DataChangeNotification,
  type DataValueOptions,
  DeadbandType,
  type EventNotificationList,
  type HistoryData,
  HistoryReadRequest,
  MonitoringMode,
  PublishRequest,
  type PublishResponse,
  ReadRawModifiedDetails,
  resolveNodeId,
  type ResponseHeader,
  TimestampsToReturn,
  VariantArrayType,
} from "node-opcua-client";
import { source_limits } from "../../model/sources/limits.ts";
import { serverInstant, type ServerValue, type WrittenValue } from "../../wire/sources/opcua.ts";
import type { EventField } from "../../wire/sources/opcua_event.ts";
import { SourceFault } from "../devices/driver.ts";
import { refreshConditions, watchConditions } from "./opcua_events.ts";

/** A variable that is watched; what comes of it has its place in the list as `handle`. */
export type WatchedNode = {
  readonly node: string;
  readonly sampling_ms: number;
  readonly queue: number;
  readonly deadband?: number;
};

/** What a server says of a subscription. */
export type Watching = {
  /** The name of each item's status: `Good`, or why it is not watched. */
  readonly statuses: readonly string[];
  /** After so long without a change it says that it is there. */
  readonly alive_ms: number;
};

/** What a server sends at once. */
export type Publication = {
  readonly sequence: number;
  /** When, by the server's clock. */
  readonly sent_us?: number;
  readonly values: readonly { readonly handle: number; readonly value: ServerValue }[];
  /** Fields of events, as `event_fields` has them. */
  readonly events: readonly (readonly EventField[])[];
};

/** A piece of the history of some nodes, in their order. */
export type HistoryPiece = {
  readonly is_refused: boolean;
  readonly status: string;
  readonly values: readonly ServerValue[];
  /** Where the next piece begins; undefined behind the last. */
  readonly more?: Uint8Array;
}[];

/** A question for history; `more` is what the piece before gave, for each node. */
export type HistoryQuestion = {
  readonly nodes: readonly string[];
  readonly from_us: number;
  readonly to_us: number;
  readonly more?: readonly (Uint8Array | undefined)[];
};

/** What is done with a server; anything throws a `SourceFault` when it fails. */
export type OpcuaSession = {
  /** URIs of its namespaces. */
  readonly namespaces: readonly string[];
  /** Reads one attribute of nodes. */
  read(nodes: readonly string[], attribute: keyof typeof attributes): Promise<ServerValue[]>;
  /** Writes a value, once; gives the name of the status. */
  write(node: string, value: Pick<WrittenValue, "dataType" | "value">): Promise<string>;
  /** Has changes sent. */
  watch(items: readonly WatchedNode[], publish_ms: number): Promise<Watching>;
  /** Has the events of conditions below a node sent; gives the name of the status. */
  watchConditions(node: string): Promise<string>;
  /** Asks for all conditions that still matter; gives the name of the status. */
  refreshConditions(): Promise<string>;
  /** What the server sends next. Acknowledges what was given before: that is stored. */
  next(): Promise<Publication>;
  /** Reads a piece of history. */
  history(question: HistoryQuestion): Promise<HistoryPiece>;
  /** The nodes below one, of a bounded number. */
  browse(node: string): Promise<readonly FoundNode[]>;
  close(): void;
};

/** A node that was found below another. */
export type FoundNode = {
  readonly node: string;
  readonly name: string;
  readonly is_variable: boolean;
  /** By `HasProperty`. */
  readonly is_property: boolean;
};

const attributes = {
  data_type: AttributeIds.DataType,
  value: AttributeIds.Value,
  access: AttributeIds.AccessLevel,
} as const;

/** What the library's sessions do beside what it says of them. */
export type RawSession =
  & ClientSession
  & ClientSessionRawSubscriptionService
  & ClientSessionPublishService;
/** Waits for the library. */
export type OpcuaWork = <T>(promise: Promise<T>) => Promise<T>;

/** The functions of a session; `work` ends what waits when the connection is closed. */
export function sessionOf(session: RawSession, work: OpcuaWork) {
  return {
    async read(nodes: readonly string[], attribute: keyof typeof attributes) {
      const asked = nodes.map((nodeId) => ({ nodeId, attributeId: attributes[attribute] }));
      return await work(session.read(asked)) as ServerValue[];
    },
    async write(node: string, { dataType, value }: Pick<WrittenValue, "dataType" | "value">) {
      const data: DataValueOptions = {
        value: { dataType, arrayType: VariantArrayType.Scalar, value },
      };
      const written = session.write({ nodeId: node, attributeId: attributes.value, value: data });
      return await work(written.then(({ name }) => name, refusedStatus));
    },
    ...watching(session, work),
    async history(question: HistoryQuestion): Promise<HistoryPiece> {
      const { results } = await work(session.historyRead(historyRequest(question)));
      return (results ?? []).map(({ statusCode, historyData, continuationPoint }) => ({
        is_refused: statusCode.value >= 0x8000_0000,
        status: statusCode.name,
        values: ((historyData as HistoryData | null)?.dataValues ?? []) as ServerValue[],
        ...(continuationPoint?.length ? { more: continuationPoint } : {}),
      }));
    },
    async browse(node: string) {
      return await work(below(session, node));
    },
  };
}

/** The status of a server that refuses the whole service; anything else is thrown on. */
function refusedStatus(error: { readonly response?: { readonly responseHeader: ResponseHeader } }) {
  const status = error.response?.responseHeader.serviceResult;
  if (status === undefined) throw error;
  return status.name;
}

function watching(session: RawSession, work: OpcuaWork) {
  let subscription_id = 0;
  let alive_ms = 0;
  let stored: number[] = [];
  const asked: Promise<PublishResponse>[] = [];
  const ask = () => {
    const acknowledged = stored.map((sequenceNumber) => (
      { subscriptionId: subscription_id, sequenceNumber }
    ));
    stored = [];
    const request = new PublishRequest({
      requestHeader: { timeoutHint: 4 * alive_ms + 30_000 },
      subscriptionAcknowledgements: acknowledged,
    });
    const answer = new Promise<PublishResponse>((resolve, reject) => {
      session.publish(request, (error, response) => response ? resolve(response) : reject(error));
    });
    // It is looked at when it is its turn.
    answer.catch(() => {});
    asked.push(answer);
  };
  return {
    async watch(items: readonly WatchedNode[], publish_ms: number): Promise<Watching> {
      const made = await subscribe(session, { publish_ms, work });
      subscription_id = made.subscriptionId;
      alive_ms = made.revisedPublishingInterval * made.revisedMaxKeepAliveCount;
      return { statuses: await watchItems(session, { subscription_id, items, work }), alive_ms };
    },
    watchConditions: (node: string) => watchConditions(session, node, { subscription_id, work }),
    refreshConditions: () => refreshConditions(session, { subscription_id, work }),
    async next(): Promise<Publication> {
      // One is on its way while the other is stored.
      while (asked.length < 2) ask();
      const { notificationMessage, subscriptionId } = await work(asked.shift()!);
      const { sequenceNumber, notificationData, publishTime } = notificationMessage;
      const parts = notificationData ?? [];
      if (parts.length > 0 && subscriptionId === subscription_id) stored.push(sequenceNumber);
      const ended = parts.find((it) => it?.schema.name === "StatusChangeNotification");
      if (ended) throw new SourceFault(subscription_ended);
      const values = parts.flatMap((it) => (it as DataChangeNotification).monitoredItems ?? []);
      const events = parts.flatMap((it) => (it as EventNotificationList).events ?? []);
      return {
        sequence: sequenceNumber,
        ...(publishTime ? { sent_us: publishTime.getTime() * 1000 } : {}),
        values: values.map(({ clientHandle, value }) => (
          { handle: clientHandle, value: value as ServerValue }
        )),
        events: events.map(({ eventFields }) => eventFields ?? []),
      };
    },
  };
}

const subscription_ended = {
  kind: "refused",
  message: "the server has ended the subscription",
} as const;

async function subscribe(
  session: RawSession,
  { publish_ms, work }: { readonly publish_ms: number; readonly work: OpcuaWork },
) {
  const { alive_ms, subscription_kept_ms, message_values } = source_limits;
  const alive_count = Math.max(1, Math.ceil(alive_ms / publish_ms));
  return await work(session.createSubscription({
    requestedPublishingInterval: publish_ms,
    requestedMaxKeepAliveCount: alive_count,
    requestedLifetimeCount: Math.max(3 * alive_count, Math.ceil(subscription_kept_ms / publish_ms)),
    maxNotificationsPerPublish: message_values,
    ...{ publishingEnabled: true, priority: 0 },
  }));
}

/** Adds items to a subscription, as many at once as the server takes; gives their statuses. */
async function watchItems(
  session: RawSession,
  { subscription_id, items, work }: {
    readonly subscription_id: number;
    readonly items: readonly WatchedNode[];
    readonly work: OpcuaWork;
  },
): Promise<readonly string[]> {
  const statuses: string[] = [];
  const most = await itemsAtOnce(session, work);
  for (let at = 0; at < items.length; at += most) {
    const { results } = await work(session.createMonitoredItems({
      subscriptionId: subscription_id,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate: items.slice(at, at + most).map((it, i) => itemRequest(it, at + i)),
    }));
    statuses.push(...(results ?? []).map(({ statusCode }) => statusCode.name));
  }
  return statuses;
}

function itemRequest({ node, sampling_ms, queue, deadband }: WatchedNode, handle: number) {
  return {
    itemToMonitor: { nodeId: node, attributeId: AttributeIds.Value },
    monitoringMode: MonitoringMode.Reporting,
    requestedParameters: {
      ...{ clientHandle: handle, samplingInterval: sampling_ms, queueSize: queue },
      discardOldest: true,
      filter: deadband === undefined ? null : new DataChangeFilter({
        deadbandType: DeadbandType.Absolute,
        deadbandValue: deadband,
      }),
    },
  };
}

/** `MaxMonitoredItemsPerCall` of the server, within our own bound. */
async function itemsAtOnce(session: ClientSession, work: OpcuaWork): Promise<number> {
  const found = await work(session.read({ nodeId: "i=11714", attributeId: AttributeIds.Value }));
  const most = Number(found.value?.value ?? 0);
  return most > 0 ? Math.min(most, source_limits.request_nodes) : source_limits.request_nodes;
}

function historyRequest({ nodes, from_us, to_us, more }: HistoryQuestion): HistoryReadRequest {
  return new HistoryReadRequest({
    historyReadDetails: new ReadRawModifiedDetails({
      ...{ isReadModified: false, returnBounds: false },
      startTime: new Date(Math.floor(from_us / 1000)),
      endTime: new Date(Math.ceil(to_us / 1000)),
      numValuesPerNode: source_limits.history_values,
    }),
    timestampsToReturn: TimestampsToReturn.Both,
    releaseContinuationPoints: false,
    nodesToRead: nodes.map((node, i) => ({
      nodeId: resolveNodeId(node),
      continuationPoint: more?.[i] ? Buffer.from(more[i]) : undefined,
    })),
  });
}

/** By `HierarchicalReferences`, all pages. */
async function below(session: ClientSession, node: string): Promise<readonly FoundNode[]> {
  const asked = { nodeId: node, referenceTypeId: "i=33", includeSubtypes: true, resultMask: 63 };
  let page = await session.browse({ ...asked, browseDirection: 0 });
  const found: FoundNode[] = [];
  for (;;) {
    for (const it of page.references ?? []) {
      found.push({
        node: it.nodeId.toString(),
        name: it.browseName.name ?? "",
        is_variable: it.nodeClass === 2,
        is_property: it.referenceTypeId.toString() === "ns=0;i=46",
      });
    }
    const point = page.continuationPoint;
    if (!point?.length || found.length >= source_limits.scan_nodes) return found;
    page = await session.browseNext(point, false);
  }
}

/** A point whose history is wanted, from an instant on, in microseconds since 1970 UTC. */
export type Missing = { readonly node: string; readonly from_us: number };

/** What came of it. */
export type HistoryUse<Point extends Missing> = {
  readonly to_us: number;
  /** Stores values of a point, which come in the order of their time. */
  readonly take: (
    pieces: readonly { readonly point: Point; readonly values: readonly ServerValue[] }[],
  ) => Promise<void>;
  /** A point has no history that can be read, and why. */
  readonly refused: (point: Point, reason: string) => void;
};

/** Reads all of it. Throws a `SourceFault` when the connection ends. */
export async function readHistory<Point extends Missing>(
  session: Pick<OpcuaSession, "history">,
  points: readonly Point[],
  use: HistoryUse<Point>,
): Promise<void> {
  // Those that miss about as much are asked for together.
  const sorted = points.toSorted((a, b) => a.from_us - b.from_us);
  for (let at = 0; at < sorted.length; at += source_limits.history_nodes) {
    await readGroup(session, sorted.slice(at, at + source_limits.history_nodes), use);
  }
}

/** A point of a group, and where its next piece begins. */
type Open<Point> = { readonly point: Point; readonly more?: Uint8Array };

async function readGroup<Point extends Missing>(
  session: Pick<OpcuaSession, "history">,
  points: readonly Point[],
  use: HistoryUse<Point>,
): Promise<void> {
  const from_us = Math.min(...points.map((it) => it.from_us));
  let open: readonly Open<Point>[] = points.map((point) => ({ point }));
  while (open.length > 0) {
    const question: HistoryQuestion = {
      nodes: open.map(({ point }) => point.node),
      ...{ from_us, to_us: use.to_us },
      ...(open[0].more ? { more: open.map(({ more }) => more) } : {}),
    };
    const pieces = await ask(session, question);
    if (pieces === undefined) return await apart(session, open, use);
    const asked = open;
    await use.take(pieces.map(({ values }, i) => ({ point: asked[i].point, values })));
    const again: Point[] = [];
    open = pieces.flatMap((piece, i) => {
      const { point } = asked[i];
      if (piece.is_refused) {
        use.refused(point, piece.status);
        return [];
      }
      if (piece.more && piece.values.length > 0) return [{ point, more: piece.more }];
      const next_us = cutAt(piece.values);
      if (next_us !== undefined && next_us > from_us) again.push({ ...point, from_us: next_us });
      return [];
    });
    for (const point of again) await readGroup(session, [point], use);
  }
}

/** A server that fails for one of several fails for all: each is asked for by itself. */
async function apart<Point extends Missing>(
  session: Pick<OpcuaSession, "history">,
  open: readonly Open<Point>[],
  use: HistoryUse<Point>,
): Promise<void> {
  const [{ point }] = open;
  if (open.length === 1) return use.refused(point, "the server fails to read it");
  for (const it of open) await readGroup(session, [it.point], use);
}

/** The answer; undefined where the server fails, but is there. */
async function ask(session: Pick<OpcuaSession, "history">, question: HistoryQuestion) {
  try {
    const pieces = await session.history(question);
    return pieces.length === question.nodes.length ? pieces : undefined;
  } catch (error) {
    if (error instanceof SourceFault && error.kind === "protocol") return undefined;
    throw error;
  }
}

/** Where a full piece without a sequel ends: some servers give none, and have more. */
function cutAt(values: readonly ServerValue[]): number | undefined {
  if (values.length < source_limits.history_values) return undefined;
  return serverInstant(values.at(-1)!);
}
