// What is wrong with a connection to an OPC UA server, in words that say what to change.
import { security_modes, type SecurityMode } from "./kinds/opcua.ts";
import type { SourceErrorKind } from "./source.ts";

/** The place of a server. */
export type ServerPlace = { readonly host: string; readonly port: number; readonly path: string };

const usual_port = 4840;

/** Takes a checked `opc.tcp://HOST:PORT/PATH` apart. */
export function placeIn(endpoint: string): ServerPlace {
  const [, host, port, path] = /^opc\.tcp:\/\/(\[[^\]]+\]|[^:/]+)(?::(\d+))?(\/.*)?$/.exec(
    endpoint,
  )!;
  return { host, port: port === undefined ? usual_port : Number(port), path: path ?? "" };
}

/** The address of a place; `path` is that of the server's own endpoint where it says another. */
export function serverAddress({ host, port, path }: ServerPlace): string {
  return `opc.tcp://${host}:${port}${path}`;
}

/** Ways to sign in, by the standard's numbers, from 0. */
export const sign_ins: readonly OpcuaSignIn[] = ["anonymous", "password", "certificate"];
export type OpcuaSignIn = "anonymous" | "password" | "certificate";

/** An endpoint as a server offers it. */
export type Offer = {
  readonly mode: SecurityMode | undefined;
  /** The policy's name, behind its URI. */
  readonly policy: string;
  readonly signs_in: readonly (OpcuaSignIn | undefined)[];
};

type Wanted = {
  readonly security: SecurityMode;
  readonly policy: string;
  readonly sign_in: OpcuaSignIn;
};

/** Whether an offer is what a source wants, but for who signs in. */
export function suits({ mode, policy }: Offer, wanted: Wanted): boolean {
  return mode === wanted.security && policy === (mode === "none" ? "None" : wanted.policy);
}

/** Why none of a server's offers suits a source; undefined where one does. */
export function offerFlaw(offers: readonly Offer[], wanted: Wanted): string | undefined {
  const suiting = offers.filter((it) => suits(it, wanted));
  if (suiting.length === 0) {
    const known = offers.filter(({ mode }) => mode !== undefined);
    const texts = [...new Set(known.map(offerText))].sort();
    if (texts.length === 0) return "the server offers no endpoint that is known here";
    return `the server does not offer ${offerText({ ...wanted, mode: wanted.security })}: write ` +
      `one of ${texts.join(" / ")}`;
  }
  const ways = suiting.flatMap(({ signs_in }) => signs_in);
  if (ways.includes(wanted.sign_in)) return undefined;
  const texts = {
    anonymous: "nobody in particular (leave user and cert_file out)",
    password: "a user and password (user, password_file)",
    certificate: "a user's certificate (cert_file, key_file)",
  };
  const known = sign_ins.filter((it) => ways.includes(it));
  return `the server does not let in ${texts[wanted.sign_in]}, but ` +
    (known.map((it) => texts[it]).join(", or ") || "nobody in a way that is known here");
}

function offerText({ mode, policy }: Pick<Offer, "mode" | "policy">): string {
  return mode === "none" ? 'security = "none"' : `security = "${mode}" with policy = "${policy}"`;
}

/** The modes by the standard's numbers, from 1. */
export function modeOf(number: number): SecurityMode | undefined {
  return security_modes[number - 1];
}

/** What the words of a failure may name. */
export type ServerScene = {
  readonly place: ServerPlace;
  /** Where its own certificate lies. */
  readonly own_certificate: string;
  readonly timeout_ms: number;
  /** Whether what answers has spoken OPC UA. */
  readonly is_known: boolean;
};

type Words = readonly [RegExp, SourceErrorKind, (scene: ServerScene) => string];

/** The first that matches what the library or the server says. */
const words: readonly Words[] = [
  [
    /ECONNREFUSED/,
    "refused",
    ({ place: { port } }) =>
      `nothing listens at port ${port}: the connection is refused` +
      (port === usual_port ? "" : `; the usual port of OPC UA is ${usual_port}`),
  ],
  [
    /ENOTFOUND|EAI_|failed to lookup/i,
    "refused",
    ({ place }) => `the name ${place.host} has no address`,
  ],
  [/EHOSTUNREACH|ENETUNREACH/, "refused", () => "the address can't be reached"],
  [
    /BadTcpEndpointUrlInvalid|BadServerUriInvalid/,
    "protocol",
    ({ place }) =>
      `the server has no endpoint ${place.path || "/"}: is the path of the address right?`,
  ],
  [
    /BadCertificateTimeInvalid|BadCertificateIssuerTimeInvalid/,
    "denied",
    () =>
      "the server takes a certificate for expired: compare the clocks of both machines, and see " +
      "until when the certificates are valid",
  ],
  [
    /BadInvalidTimestamp/,
    "protocol",
    () =>
      "the server refuses messages for their time: the clocks of both machines differ by too much",
  ],
  [
    /BadCertificateUriInvalid/,
    "denied",
    ({ own_certificate }) =>
      `the server refuses the certificate ${own_certificate} for its name: delete that file and ` +
      "its key, and a new one is made",
  ],
  [
    /BadSecurityChecksFailed|BadCertificate|BadSecurityModeRejected/,
    "denied",
    (scene) =>
      `the server does not trust this client: have ${scene.own_certificate} trusted there (it is ` +
      "often found among its rejected certificates already)",
  ],
  [
    /BadIdentityTokenRejected|BadIdentityTokenInvalid|BadUserAccessDenied/,
    "denied",
    () => "the server refuses the user: check user and password_file, or cert_file and key_file",
  ],
  [
    /BadUserSignatureInvalid/,
    "denied",
    () => "the server refuses the user's certificate: do cert_file and key_file belong together?",
  ],
  [
    /BadTooMany(Sessions|Subscriptions|MonitoredItems)|BadMaxConnections|BadTcpNotEnough/,
    "protocol",
    () => "the server has no room for another client: end one, or raise its limits",
  ],
  [/BadTooManyMonitoredItems/, "protocol", () => "the server can't watch so many points"],
  [/BadServiceUnsupported/, "protocol", () => "the server has no subscriptions"],
  [/BadShutdown|BadServerHalted/, "refused", () => "the server is shutting down"],
  [
    /BadTcpMessageTypeInvalid|BadProtocolVersion|invalid message|third party|invalid chunk/i,
    "refused",
    ({ place, is_known }) =>
      is_known ? "the connection broke" : `what answers at port ${place.port} broke the ` +
        "connection off, or does not speak OPC UA: is it the port of another service?",
  ],
  [
    /timeout|timed out|ETIMEDOUT|BadRequestTimeout|Transaction has timed/i,
    "timeouts",
    ({ timeout_ms, is_known, place: { port } }) =>
      `no answer within ${timeout_ms / 1000} s` +
      (is_known ? "" : `: is port ${port} that of an OPC UA server, with no firewall between?`),
  ],
  [
    /Connection Break|ECONNRESET|EPIPE|disconnect|not connected|premature|aborted|Session|Channel/i,
    "refused",
    () => "the connection broke",
  ],
];

/** What the library or a server says of a failure, for people. */
export function serverFailure(
  said: string,
  scene: ServerScene,
): { readonly kind: SourceErrorKind; readonly message: string } {
  for (const [pattern, kind, say] of words) {
    if (pattern.test(said)) return { kind, message: say(scene) };
  }
  const [first] = said.trim().split("\n");
  return { kind: "protocol", message: `the server answers: ${first}` };
}

/** Why a server does not write a value, by its status. */
const refusals: Readonly<Record<string, string>> = {
  BadNotWritable: "it is no variable that can be written: is it the right node?",
  BadUserAccessDenied:
    "this user may not write it: give the user that right at the server, or sign in as another",
  BadTypeMismatch: "it wants another type of value than its data type says: ask its maker",
  BadOutOfRange: "the value is outside its own limits",
  BadNodeIdUnknown: "there is no such node any more",
  BadNodeIdInvalid: "there is no such node",
  BadWriteNotSupported: "it does not take a value alone",
  BadNotSupported: "the server writes nothing to it",
  BadServiceUnsupported: "the server does not take values at all",
  BadInvalidState: "it takes no value in the state in which the device is",
  BadDeviceFailure: "the device behind it has failed",
  BadNoCommunication: "the server has no connection to the device behind it",
  BadNotConnected: "the server has no connection to the device behind it",
};

/** A status that refuses a value, for people. */
export function writeRefusal(node: string, status: string): string {
  const why = refusals[status];
  return `the server refuses to write ${node}: ${why ? `${why} (${status})` : status}`;
}

/** A server's certificate, as it is told of. */
export type CertificateSpan = { readonly from: Date; readonly to: Date; readonly now: Date };

/** Why a certificate is not valid now; undefined where it is. */
export function validityFlaw({ from, to, now }: CertificateSpan): string | undefined {
  if (now < from) {
    return `the server's certificate is valid from ${certificateDay(from)} on, and here it is ` +
      `${certificateDay(now)}: compare the clocks of both machines`;
  }
  if (now <= to) return undefined;
  return `the server's certificate expired on ${certificateDay(to)} (here it is ${
    certificateDay(now)
  }): have a ` +
    "new one made at the server, and trust it";
}

/** The date of an instant, UTC. */
export const certificateDay = (at: Date) => at.toISOString().slice(0, 10);
