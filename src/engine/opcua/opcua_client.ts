// Connects to OPC UA servers, and knows which of them are trusted. The library brings sockets,
// timers and files of its own; it is used here, in `opcua_session.ts` and `opcua_events.ts` alone.
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { createConnection } from "node:net";
import process from "node:process";
import {
  type EndpointDescription,
  LogLevel,
  OPCUAClient,
  setLogLevel,
  UserTokenType,
} from "node-opcua-client";
import { OPCUACertificateManager } from "node-opcua-certificate-manager";
import { ClientTransportBase } from "node-opcua-transport";
import type { Effects } from "../../base/effects.ts";
import type { OpcuaEntry } from "../../model/sources/kinds/opcua.ts";
import { source_limits } from "../../model/sources/limits.ts";
import {
  certificateDay,
  modeOf,
  type Offer,
  offerFlaw,
  type OpcuaSignIn,
  placeIn,
  serverAddress,
  serverFailure,
  sign_ins,
  suits,
  validityFlaw,
} from "../../model/sources/opcua_words.ts";
import { SourceFault, type SourceTools } from "../devices/driver.ts";
import { type OpcuaSession, type RawSession, sessionOf } from "./opcua_session.ts";

/** How a server is reached, and who signs in. */
export type ServerEntry =
  & Pick<
    OpcuaEntry,
    | "endpoint"
    | "security"
    | "policy"
    | "user"
    | "password_file"
    | "cert_file"
    | "key_file"
    | "timeout_ms"
  >
  & {
    /** Of a connection that is watched over by whoever opens it. */
    readonly publish_ms?: number;
  };

/** What a connection is made with. */
export type OpcuaParts = Pick<SourceTools, "certificates" | "secret"> & {
  readonly effects: Pick<Effects, "now_us">;
  /** The server's addresses that may be reached; without them its name is looked up. */
  readonly addresses?: readonly string[];
  /** Ends it at once, at any time. */
  readonly signal: AbortSignal;
};

/** It says on the console what its caller is told as well. */
setLogLevel(LogLevel.Emergency);

// While it reads a key it sets this, and then back to what it was: a runtime warns (DEP0104) where
// that was nothing.
process.env.OPENSSL_CONF ??= "/dev/null";

/** Connects and signs in. Throws a `SourceFault`. */
export async function openSession(entry: ServerEntry, parts: OpcuaParts): Promise<OpcuaSession> {
  const connection = new Connection(entry, parts);
  try {
    return await connection.open();
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The clients of one connection, and all that waits for them. */
class Connection {
  readonly #entry: ServerEntry;
  readonly #parts: OpcuaParts;
  readonly #clients: OPCUAClient[] = [];
  readonly #waiting = new Set<(error: Error) => void>();
  /** Whether what answers has spoken OPC UA. */
  #is_known = false;
  /** The address that is connected to; undefined where the name is looked up. */
  #address: string | undefined;

  constructor(entry: ServerEntry, parts: OpcuaParts) {
    this.#entry = entry;
    this.#parts = parts;
    parts.signal.addEventListener("abort", this.close);
  }

  readonly close = () => {
    this.#parts.signal.removeEventListener("abort", this.close);
    // What is left of a broken connection need not answer.
    for (const client of this.#clients.splice(0)) client.disconnect().catch(() => {});
    for (const end of this.#waiting) end(closed());
  };

  async open(): Promise<OpcuaSession> {
    const work = this.#work;
    const { endpoint, security, policy } = this.#entry;
    const place = placeIn(endpoint);
    const offered = await this.#ask();
    if (security !== "none") await work(this.#demandTrust(offered.serverCertificate));
    const client = await this.#client({
      ...{ securityMode: offered.securityMode, securityPolicy: policyOf({ security, policy }) },
      ...(security === "none" ? {} : { serverCertificate: offered.serverCertificate }),
    });
    // The address that was given, whatever name the server has for itself; its path, though.
    const { path } = place.path ? place : placeIn(offered.endpointUrl ?? endpoint);
    await work(client.connect(serverAddress({ ...place, path })));
    const session = await work(client.createSession(await identityOf(this.#entry, this.#parts)));
    const namespaces = await work(session.readNamespaceArray());
    return { ...sessionOf(session as RawSession, work), namespaces, close: this.close };
  }

  /** The server's endpoint that suits; throws what suits of what it has. */
  async #ask(): Promise<EndpointDescription> {
    const client = await this.#reach();
    const endpoints = await this.#work(client.getEndpoints());
    this.#is_known = true;
    await this.#work(client.disconnect());
    return chosen(endpoints, this.#entry);
  }

  /** Connects to the first of the addresses at which somebody answers; the others are for it. */
  async #reach(): Promise<OPCUAClient> {
    const { addresses = [undefined] } = this.#parts;
    const place = serverAddress(placeIn(this.#entry.endpoint));
    for (const [i, address] of addresses.entries()) {
      this.#address = address;
      const client = await this.#client({});
      try {
        await this.#work(client.connect(place));
        return client;
      } catch (error) {
        if (i === addresses.length - 1 || this.#parts.signal.aborted) throw error;
      }
    }
    throw closed();
  }

  /** Waits for the library, until the connection is closed. */
  readonly #work = async <T>(promise: Promise<T>): Promise<T> => {
    const { promise: either, resolve, reject } = Promise.withResolvers<T>();
    promise.then(resolve, reject);
    this.#waiting.add(reject);
    if (this.#parts.signal.aborted) reject(closed());
    try {
      return await either;
    } catch (error) {
      if (error instanceof SourceFault) throw error;
      const said = error instanceof Error ? error.message : String(error);
      const { endpoint, timeout_ms } = this.#entry;
      const own_certificate = ownCertificate(this.#parts);
      const scene = { place: placeIn(endpoint), own_certificate, timeout_ms };
      throw new SourceFault(serverFailure(said, { ...scene, is_known: this.#is_known }));
    } finally {
      this.#waiting.delete(reject);
    }
  };

  async #client(more: Parameters<typeof OPCUAClient.create>[0]): Promise<OPCUAClient> {
    const { timeout_ms } = this.#entry;
    const address = this.#address;
    const client = OPCUAClient.create({
      ...{ applicationName: "Wattkeeper", applicationUri: "urn:wattkeeper:client" },
      clientCertificateManager: await this.#work(openTrust(this.#parts.certificates)),
      certificateFile: ownCertificate(this.#parts),
      // Where it makes a connection again by itself, it may say so and deliver nothing.
      connectionStrategy: { maxRetry: 0, initialDelay: 100, maxDelay: 100 },
      ...{ endpointMustExist: false, keepSessionAlive: false },
      transportTimeout: silenceMs(this.#entry),
      defaultTransactionTimeout: timeout_ms,
      requestedSessionTimeout: source_limits.session_kept_ms,
      ...(address === undefined ? {} : {
        transportFactory: {
          create: (settings: TransportSettings) => new AddressTransport(address, settings),
        },
      }),
      ...more,
    });
    this.#clients.push(client);
    return client;
  }

  async #demandTrust(certificate: Uint8Array): Promise<void> {
    const { certificates: path, effects } = this.#parts;
    await demandTrust(certificate, { path, now: new Date(effects.now_us() / 1000) });
  }
}

type TransportSettings = ConstructorParameters<typeof ClientTransportBase>[0];

/** Lines to an address alone, whatever the server's name stands for now. */
class AddressTransport extends ClientTransportBase {
  readonly #address: string;

  constructor(address: string, settings: TransportSettings) {
    super(settings);
    this.#address = address;
  }

  connect(endpoint: string, callback: Parameters<ClientTransportBase["connect"]>[1]): void {
    // The server is told its name.
    this.endpointUrl = endpoint;
    const { port } = placeIn(endpoint);
    const socket = createConnection({ host: this.#address, port, timeout: this.timeout });
    socket.once("timeout", () => this.forceConnectionBreak());
    this._install_socket(socket);
    const fail = (error: Error) => callback(error);
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.removeListener("error", fail);
      this._perform_HEL_ACK_transaction((error) => {
        if (error) return callback(error);
        this._install_post_connect_error_handler(endpoint);
        this.emit("connect");
        callback();
      });
    });
  }
}

const closed = () => new SourceFault({ kind: "refused", message: "the connection is closed" });

/** The server's endpoint that suits; throws what suits of what it has. */
function chosen(endpoints: readonly EndpointDescription[], entry: ServerEntry) {
  const offers = endpoints.map((it) => ({ it, offer: offerOf(it) }));
  const wanted = { ...entry, sign_in: signInOf(entry) };
  const flaw = offerFlaw(offers.map(({ offer }) => offer), wanted);
  if (flaw !== undefined) throw new SourceFault({ kind: "protocol", message: flaw });
  return offers.find(({ offer }) => suits(offer, wanted))!.it;
}

function signInOf({ user, cert_file }: ServerEntry): OpcuaSignIn {
  return user !== undefined ? "password" : cert_file !== undefined ? "certificate" : "anonymous";
}

function offerOf(endpoint: EndpointDescription): Offer {
  return {
    mode: modeOf(endpoint.securityMode),
    policy: endpoint.securityPolicyUri?.split("#")[1] ?? "",
    signs_in: (endpoint.userIdentityTokens ?? []).map(({ tokenType }) => sign_ins[tokenType]),
  };
}

async function identityOf(entry: ServerEntry, { secret }: OpcuaParts) {
  const { user, password_file, cert_file, key_file } = entry;
  if (user !== undefined) {
    const password = (await secret(password_file!)).replace(/\r?\n$/, "");
    return { type: UserTokenType.UserName as const, userName: user, password };
  }
  if (cert_file === undefined) return { type: UserTokenType.Anonymous as const };
  const certificateData = certificateIn(await secret(cert_file), cert_file);
  const privateKey = await secret(key_file!);
  return { type: UserTokenType.Certificate as const, certificateData, privateKey };
}

/** The certificate (DER) in a file. */
function certificateIn(text: string, name: string): Buffer {
  try {
    return Buffer.from(new X509Certificate(text).raw);
  } catch {
    throw new SourceFault({
      kind: "protocol",
      message: `${name} holds no certificate (PEM)`,
    });
  }
}

/** Opens the folder, as it is now; makes it, with a key of its own, where it is missing. */
async function openTrust(path: string): Promise<OPCUACertificateManager> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  // It is read anew for each connection: no watcher is needed.
  const trust = new OPCUACertificateManager({ rootFolder: path, disableFileWatchers: true });
  await trust.initialize();
  return trust;
}

/**
 * Refuses the certificate (DER) of a server that nobody trusts, or that is out of date, and keeps
 * it among the rejected.
 */
async function demandTrust(
  certificate: Uint8Array,
  { path, now }: { readonly path: string; readonly now: Date },
): Promise<void> {
  const trust = await openTrust(path);
  const der = Buffer.from(certificate);
  const status = (await trust.checkCertificate(der)).name;
  const found = new X509Certificate(der);
  const [from, to] = [new Date(found.validFrom), new Date(found.validTo)];
  const flaw = validityFlaw({ from, to, now });
  if (flaw !== undefined) throw refusal(flaw);
  if (status === "Good") return;
  const described =
    `${found.subject.replaceAll("\n", ", ")}, valid until ${certificateDay(to)}, SHA-1 ` +
    found.fingerprint;
  if (status !== "BadCertificateUntrusted") {
    throw refusal(`the server's certificate (${described}) is not accepted: ${status}`);
  }
  const file = await fileOf(found, `${path}/rejected`);
  throw refusal(
    `the server's certificate is not trusted: ${described}. If it is the right one: ` +
      `mv "${path}/rejected/${file}" "${path}/trusted/certs/"`,
  );
}

const refusal = (message: string) => new SourceFault({ kind: "denied", message });

/** The name of the file of a certificate in a folder. */
async function fileOf(certificate: X509Certificate, folder: string): Promise<string> {
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile) continue;
    try {
      const found = new X509Certificate(Buffer.from(await Deno.readFile(`${folder}/${name}`)));
      if (found.fingerprint === certificate.fingerprint) return name;
    } catch {
      // It is no certificate.
    }
  }
  return certificate.fingerprint;
}

/** This program's certificate. */
function ownCertificate({ certificates }: Pick<OpcuaParts, "certificates">): string {
  return `${certificates}/own/certs/wattkeeper.pem`;
}

/** The policy by the name that the library knows. */
function policyOf({ security, policy }: Pick<ServerEntry, "security" | "policy">): string {
  return security === "none" ? "None" : policy;
}

/** How long a connection may be silent before the library ends it. */
function silenceMs({ publish_ms, timeout_ms }: ServerEntry): number {
  if (publish_ms === undefined) return timeout_ms;
  return Math.max(source_limits.subscription_kept_ms, 5 * publish_ms);
}
