// Connections of bytes to devices and brokers: made within a time, ended at once when told to.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { concat } from "./bytes.ts";
import { limits } from "./limits.ts";

/** Where a line leads to, how long it may take to be made, and what ends it. */
export type LinePlace = {
  readonly host: string;
  readonly port: number;
  readonly timeout_ms: number;
  /** Encrypts it, and trusts nobody whose certificate is not right. */
  readonly tls?: LineTls;
  /** Why an address must not be connected to; undefined when it may. */
  readonly refuse?: (address: string) => string | undefined;
  /** Closes it at once, at any time. */
  readonly signal: AbortSignal;
};

/** In PEM: an authority that is trusted beside the public ones, an own certificate, its key. */
export type LineTls = { readonly ca?: string; readonly cert?: string; readonly key?: string };

/** An open line. Whatever is called on a closed one throws a `LineFault`. */
export type Line = {
  /** Sends all of the bytes. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
  /** The bytes that came since, at least one; undefined where the other side has closed. */
  readonly receive: () => Promise<Uint8Array | undefined>;
  readonly close: () => void;
};

/** The addresses of a name, or the address that it is; throws a `LineFault`. */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** Opens a line; throws a `LineFault`. */
export type Connect = (place: LinePlace) => Promise<Line>;

/**
 * Why there is no line, or no longer one: `timeout` where nobody answered in time, `untrusted`
 * where a certificate was not accepted, `forbidden` where an address must not be reached.
 */
export class LineFault extends Error {
  readonly kind: "refused" | "timeout" | "unreachable" | "broken" | "untrusted" | "forbidden";

  constructor(kind: LineFault["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The real network. */
export async function systemConnect(
  { host, port, timeout_ms, tls, refuse, signal }: LinePlace,
): Promise<Line> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout_ms);
  const either = AbortSignal.any([signal, late.signal]);
  const opening = refuse
    ? openVetted({ host, port, tls, refuse })
    : tls
    ? openTls({ hostname: host, port }, tls)
    : openPlain({ hostname: host, port });
  try {
    const socket = await untilAborted(opening, either);
    return lineOf(socket, signal);
  } catch (error) {
    if (!either.aborted && error instanceof LineFault) throw error;
    if (!either.aborted) throw (tls && tlsFault(error, host)) ?? faultOf(error, port);
    // It may still be made, for nobody.
    opening.then((socket) => socket.close(), () => {});
    throw new LineFault("timeout", `nobody answered within ${timeout_ms / 1000} s`);
  } finally {
    clearTimeout(timer);
  }
}

/** The real names. */
export async function systemResolve(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    throw new LineFault("unreachable", "the name has no address: is it right?");
  }
}

async function openPlain(place: Deno.ConnectOptions): Promise<Deno.Conn> {
  const socket = await Deno.connect(place);
  // A question is one small packet, and its answer is waited for.
  socket.setNoDelay(true);
  return socket;
}

async function openTls(place: Deno.ConnectOptions, { ca, cert, key }: LineTls): Promise<Deno.Conn> {
  const own = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  if (own) requirePair(own);
  const socket = await Deno.connectTls({ ...place, ...own, caCerts: ca === undefined ? [] : [ca] });
  return await closedUnless(socket, () => socket.handshake());
}

/** Throws where a key is another certificate's: some runtimes end the process over it. */
function requirePair({ cert, key }: { readonly cert: string; readonly key: string }): void {
  let is_pair = true;
  try {
    is_pair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    // The runtime says what is wrong with either.
  }
  if (!is_pair) throw new Error("KeyMismatch");
}

/** Looks the name up and vets every address that it has; the socket gets an address alone. */
async function openVetted(
  { host, port, tls, refuse }: Required<Pick<LinePlace, "host" | "port" | "refuse">> & {
    readonly tls: LineTls | undefined;
  },
): Promise<Deno.Conn> {
  const vet = (addresses: readonly string[]) => {
    const refusal = addresses.map(refuse).find((it) => it !== undefined);
    if (refusal !== undefined) throw new LineFault("forbidden", refusal);
  };
  const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
  vet(addresses);
  if (tls?.cert !== undefined) {
    // An own certificate goes by the name alone, which may have got another address since.
    const socket = await openTls({ hostname: host, port }, tls);
    return closedUnless(socket, () => vet([(socket.remoteAddr as Deno.NetAddr).hostname]));
  }
  const socket = await openFirst(addresses, port) as Deno.TcpConn;
  if (tls === undefined) return socket;
  const encrypted = await Deno.startTls(socket, {
    hostname: host,
    caCerts: tls.ca === undefined ? [] : [tls.ca],
  });
  return await closedUnless(encrypted, () => encrypted.handshake());
}

/** The first of some addresses that answers, as a name is opened. */
async function openFirst(addresses: readonly string[], port: number): Promise<Deno.Conn> {
  const [hostname, ...others] = addresses;
  try {
    return await openPlain({ hostname, port });
  } catch (error) {
    if (others.length === 0) throw error;
    return await openFirst(others, port);
  }
}

/** A socket that passes a test, and is closed where it throws. */
async function closedUnless<Socket extends Deno.Conn>(
  socket: Socket,
  test: () => unknown,
): Promise<Socket> {
  try {
    await test();
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

function lineOf(socket: Deno.Conn, signal: AbortSignal): Line {
  let is_open = true;
  const close = () => {
    if (!is_open) return;
    is_open = false;
    signal.removeEventListener("abort", close);
    socket.close();
  };
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  const room = new Uint8Array(limits.line_read_bytes);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!is_open) throw closed();
    try {
      return await work();
    } catch (error) {
      if (!is_open) throw closed();
      close();
      throw alertFault(error) ?? faultOf(error);
    }
  };
  return {
    send: (bytes) =>
      guarded(async () => {
        for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
      }),
    receive: () =>
      guarded(async () => {
        const count = await socket.read(room);
        return count === null ? undefined : concat([room.subarray(0, count)]);
      }),
    close,
  };
}

const closed = () => new LineFault("broken", "the connection is closed");

function faultOf(error: unknown, port?: number): Error {
  const { errors } = Deno;
  if (error instanceof errors.ConnectionRefused) {
    return new LineFault("refused", `nothing listens at port ${port}: the connection is refused`);
  }
  const message = error instanceof Error ? error.message : String(error);
  if (/lookup|resolve|Name or service|ENOTFOUND/i.test(message)) {
    return new LineFault("unreachable", "the name has no address");
  }
  if (error instanceof errors.TimedOut) return new LineFault("timeout", "nobody answered");
  if (port !== undefined) return new LineFault("unreachable", "the address can't be reached");
  return new LineFault("broken", "the connection broke");
}

/** What is wrong with an encrypted connection, by what the library and the other side say of it. */
function tlsFault(error: unknown, host = "this host"): LineFault | undefined {
  const message = error instanceof Error ? error.message : String(error);
  const [, words] = tls_faults.find(([said]) => said.test(message)) ?? [];
  return words && new LineFault("untrusted", words(host, message));
}

/** What the other side says of the own certificate comes with the first bytes. */
function alertFault(error: unknown): LineFault | undefined {
  return /alert/.test(String(error)) ? tlsFault(error) : undefined;
}

const tls_faults: readonly (readonly [RegExp, (host: string, said: string) => string])[] = [
  [
    /UnknownIssuer|UnsupportedCertVersion|CaUsedAsEndEntity/,
    () =>
      "the other side's certificate is signed by nobody who is known here: give the file of the " +
      "authority's certificate (ca_file)",
  ],
  [
    /certificate: Expired/,
    () => "the other side's certificate has expired, or the clock is wrong here",
  ],
  [
    /certificate: NotValidYet/,
    () => "the other side's certificate is not valid yet, or the clock is wrong here",
  ],
  [
    /NotValidForName|not valid for name/,
    (host, said) =>
      `the other side's certificate is not for ${host}${
        / only valid for .*$/.exec(said)?.[0].replace(/^/, ",") ?? ""
      }`,
  ],
  [
    /alert: CertificateRequired/,
    () => "the other side wants a certificate, and none is given (cert_file, key_file)",
  ],
  [
    /alert: (CertificateExpired|CertificateRevoked)/,
    () => "the other side says that the own certificate has expired or was revoked",
  ],
  [
    /alert: (UnknownCA|BadCertificate|CertificateUnknown|DecryptError|AccessDenied)/,
    () =>
      "the other side does not accept the own certificate (cert_file): is it signed by an " +
      "authority that is known there?",
  ],
  [/InvalidContentType|corrupt message/, () => "the other side speaks no TLS at this port"],
  [
    /fatal alert|HandshakeFailure|PeerIncompatible/,
    (_host, said) => `no encryption was agreed on: ${said}`,
  ],
  [
    /connection reset|unexpected end of file|unexpected eof|broken pipe/i,
    () => "the other side ended it while encryption was agreed on: does it speak TLS at this port?",
  ],
  [
    /KeyMismatch|keys may not be consistent/,
    () => "the key (key_file) is not that of the certificate (cert_file)",
  ],
  [
    /No certificates found|No keys found|Unable to (decode|parse)|certificate data/i,
    () => "the file of a certificate or key holds none in PEM",
  ],
];

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
