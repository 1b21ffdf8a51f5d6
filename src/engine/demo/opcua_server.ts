// The demo's OPC UA server: some variables on this machine that are read and sent as they change.
import { Buffer } from "node:buffer";
import { createServer, type Socket } from "node:net";
import type { Effects } from "../../base/effects.ts";
import {
  ActivateSessionResponse,
  AttributeIds,
  CloseSessionResponse,
  type CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSessionResponse,
  type CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  DataChangeNotification,
  DataType,
  DataValue,
  EndpointDescription,
  GetEndpointsResponse,
  type Message,
  NotificationMessage,
  type PublishRequest,
  PublishResponse,
  type ReadRequest,
  ReadResponse,
  resolveNodeId,
  type Response,
  ServerSecureChannelLayer,
  ServiceFault,
  StatusCodes,
  Variant,
  VariantArrayType,
} from "node-opcua-client";

/** What a variable is at a moment. */
export type PlantValue = number | string;

/** How often a client is told at least that there is nothing new. */
const alive_ms = 3_000;
/** How often a value is sent that does not change. */
const again_ms = 60_000;
/** Values that wait for a client that does not ask; then it has to begin anew. */
const most_waiting = 10_000;
const namespace = "urn:wattkeeper:demo";
const security_none = "http://opcfoundation.org/UA/SecurityPolicy#None";
const transport = "http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary";

type Asked = { readonly message: Message; readonly request: PublishRequest };

/** A client, what it watches and what waits for it. */
type Client = {
  readonly channel: ServerSecureChannelLayer;
  readonly socket: Socket;
  readonly watched: Map<string, number>;
  readonly asked: Asked[];
  waiting: { readonly clientHandle: number; readonly value: DataValue }[];
  sequence: number;
  told_ms: number;
};

/** A server whose variables, `ns=1;s=NAME`, are set from outside. Without security: it is local. */
export class DemoServer {
  readonly #clients = new Set<Client>();
  readonly #server = createServer((socket) => this.#welcome(socket));
  readonly #effects: Pick<Effects, "now_us" | "monotonic_ms" | "random">;
  readonly #values = new Map<string, DataValue>();

  constructor(effects: Pick<Effects, "now_us" | "monotonic_ms" | "random">) {
    this.#effects = effects;
  }

  /** Begins to listen; gives the port. */
  async listen(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return this.#port;
  }

  /** Sets variables, and sends those that changed, or are old, to who watches them. */
  set(values: ReadonlyMap<string, PlantValue>, at_us: number): void {
    const sourceTimestamp = new Date(Math.floor(at_us / 1000));
    for (const [name, value] of values) {
      const known = this.#values.get(name);
      const age_ms = sourceTimestamp.getTime() - (known?.sourceTimestamp?.getTime() ?? -Infinity);
      if (known?.value.value === value && age_ms < again_ms) continue;
      const dataType = typeof value === "string" ? DataType.String : DataType.Double;
      const next = new DataValue({ value: { dataType, value }, sourceTimestamp });
      this.#values.set(name, next);
      for (const { watched, waiting } of this.#clients) {
        const clientHandle = watched.get(name);
        if (clientHandle !== undefined) waiting.push({ clientHandle, value: next });
      }
    }
    for (const client of this.#clients) {
      if (client.waiting.length > most_waiting) client.socket.destroy();
      else this.#send(client);
    }
  }

  close(): void {
    this.#server.close();
    for (const { socket } of this.#clients) socket.destroy();
  }

  get #port(): number {
    return (this.#server.address() as { readonly port: number }).port;
  }

  #endpoint(): EndpointDescription {
    return new EndpointDescription({
      endpointUrl: `opc.tcp://127.0.0.1:${this.#port}`,
      server: { applicationUri: namespace, applicationName: "Demo", applicationType: 0 },
      ...{ securityMode: 1, securityPolicyUri: security_none, transportProfileUri: transport },
      userIdentityTokens: [{ policyId: "anonymous", tokenType: 0 }],
    });
  }

  #welcome(socket: Socket): void {
    const channel = new ServerSecureChannelLayer({
      parent: {
        // Without security there are neither certificates nor keys.
        certificateManager: { checkCertificate: () => Promise.resolve(StatusCodes.Good) } as never,
        getCertificate: () => Buffer.alloc(0),
        getCertificateChain: () => [],
        getKeyOperations: () => ({}) as never,
        getEndpointDescription: () => this.#endpoint(),
      },
    });
    const client: Client = {
      ...{ channel, socket, watched: new Map(), asked: [], waiting: [] },
      ...{ sequence: 0, told_ms: this.#effects.monotonic_ms() },
    };
    this.#clients.add(client);
    socket.on("error", () => {});
    socket.on("close", () => this.#clients.delete(client));
    channel.on("message", (message: Message) => {
      const response = this.#answer(client, message);
      if (response) reply(client, message, response);
    });
    channel.init(socket, (error) => {
      if (error) socket.destroy();
    });
  }

  /** The answer; undefined where it comes later. */
  #answer(client: Client, message: Message): Response | undefined {
    const { request } = message;
    switch (request.schema.name) {
      case "GetEndpointsRequest":
        return new GetEndpointsResponse({ endpoints: [this.#endpoint()] });
      case "CreateSessionRequest":
        return new CreateSessionResponse({
          ...{ sessionId: resolveNodeId("ns=1;i=1"), revisedSessionTimeout: 120_000 },
          authenticationToken: resolveNodeId("ns=1;i=2"),
          serverNonce: Buffer.from(this.#effects.random(32)),
          serverEndpoints: [this.#endpoint()],
        });
      case "ActivateSessionRequest":
        return new ActivateSessionResponse({
          serverNonce: Buffer.from(this.#effects.random(32)),
        });
      case "ReadRequest":
        return this.#read(request as ReadRequest);
      case "CreateSubscriptionRequest": {
        const { requestedPublishingInterval, requestedLifetimeCount, requestedMaxKeepAliveCount } =
          request as CreateSubscriptionRequest;
        return new CreateSubscriptionResponse({
          ...{ subscriptionId: 1, revisedPublishingInterval: requestedPublishingInterval },
          revisedLifetimeCount: requestedLifetimeCount,
          revisedMaxKeepAliveCount: requestedMaxKeepAliveCount,
        });
      }
      case "CreateMonitoredItemsRequest":
        return this.#watch(client, request as CreateMonitoredItemsRequest);
      case "PublishRequest":
        client.asked.push({ message, request: request as PublishRequest });
        this.#send(client);
        return undefined;
      case "CloseSessionRequest":
        return new CloseSessionResponse({});
    }
    return new ServiceFault({
      responseHeader: { serviceResult: StatusCodes.BadServiceUnsupported },
    });
  }

  #read({ nodesToRead }: ReadRequest): ReadResponse {
    const results = (nodesToRead ?? []).map(({ nodeId, attributeId }) => {
      const known = this.#values.get(String(nodeId.value));
      if (attributeId === AttributeIds.AccessLevel && known) {
        return new DataValue({ value: { dataType: DataType.Byte, value: 1 } });
      }
      switch (nodeId.toString()) {
        case "ns=0;i=2255":
          return new DataValue({ value: namespaces });
        case "ns=0;i=2258":
          return new DataValue({ value: { dataType: DataType.DateTime, value: this.#now } });
      }
      return known ?? new DataValue({ statusCode: StatusCodes.BadNodeIdUnknown });
    });
    return new ReadResponse({ results });
  }

  #watch(client: Client, { itemsToCreate }: CreateMonitoredItemsRequest) {
    const results = (itemsToCreate ?? []).map(({ itemToMonitor, requestedParameters }, i) => {
      const name = String(itemToMonitor.nodeId.value);
      const value = this.#values.get(name);
      if (value === undefined) return { statusCode: StatusCodes.BadNodeIdUnknown };
      const { clientHandle, samplingInterval, queueSize } = requestedParameters;
      client.watched.set(name, clientHandle);
      client.waiting.push({ clientHandle, value });
      return {
        ...{ statusCode: StatusCodes.Good, monitoredItemId: i + 1 },
        ...{ revisedSamplingInterval: samplingInterval, revisedQueueSize: queueSize },
      };
    });
    return new CreateMonitoredItemsResponse({ results });
  }

  /** Sends what waits, where a client has asked for it; nothing at all from time to time. */
  #send(client: Client): void {
    const { asked, waiting, watched } = client;
    const now_ms = this.#effects.monotonic_ms();
    const is_due = now_ms - client.told_ms >= alive_ms;
    if (watched.size === 0 || asked.length === 0 || (waiting.length === 0 && !is_due)) return;
    const { message, request } = asked.shift()!;
    client.waiting = [];
    client.told_ms = now_ms;
    if (waiting.length > 0) client.sequence++;
    const sequenceNumber = waiting.length > 0 ? client.sequence : client.sequence + 1;
    const acknowledged = request.subscriptionAcknowledgements ?? [];
    const notificationData = waiting.length > 0
      ? [new DataChangeNotification({ monitoredItems: waiting })]
      : [];
    const response = new PublishResponse({
      ...{ subscriptionId: 1, availableSequenceNumbers: [], moreNotifications: false },
      notificationMessage: new NotificationMessage({
        ...{ sequenceNumber, publishTime: this.#now, notificationData },
      }),
      results: acknowledged.map(() => StatusCodes.Good),
    });
    reply(client, message, response);
  }

  get #now(): Date {
    return new Date(this.#effects.now_us() / 1000);
  }
}

const namespaces = new Variant({
  ...{ dataType: DataType.String, arrayType: VariantArrayType.Array },
  value: ["http://opcfoundation.org/UA/", namespace],
});

function reply({ channel }: Client, message: Message, response: Response): void {
  response.responseHeader.requestHandle = message.request.requestHeader.requestHandle;
  channel.send_response("MSG", response, message);
}
