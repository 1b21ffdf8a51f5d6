// A door of the service: listens on an address, and answers on each connection that it takes in.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import type { Log } from "../../engine/core/log.ts";
import type { Connections } from "../../engine/service/connections.ts";
import type { Settings } from "../../model/setting.ts";
import { fileRefusal } from "../frame/data_file.ts";
import { service_limits } from "../../engine/service/limits.ts";
import type { Answer } from "../../engine/service/service.ts";

/** The texts (PEM) of a certificate with its chain, and of its key. */
export type Certificate = { readonly cert: string; readonly key: string };

/** Where to listen; with a certificate, by TLS. */
export type Place = {
  readonly host: string;
  readonly port: number;
  readonly certificate?: Certificate;
};

/** What a door works with. */
type Inside = {
  readonly answer: Answer;
  readonly connections: Connections;
  readonly effects: Effects;
  readonly log: Log;
};

/** What the runtime gives for one connection that it answers on. */
type Answering = { readonly finished: Promise<void>; readonly shutdown: () => Promise<void> };

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

/**
 * The runtime's server of HTTP on a single connection: what `Deno.serve` does with each one that it
 * accepts. It is not documented, and the only way to know a connection before its first request.
 */
const answerOn: AnswerOn | undefined = Reflect.get(
  Reflect.get(Deno, Reflect.get(Deno, "internal") ?? "") ?? {},
  "serveHttpOnConnection",
);

type AnswerOn = (
  connection: Deno.Conn,
  signal: Pick<AbortSignal, "addEventListener">,
  handler: Handler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Answering;

type Guest = {
  readonly answering: Answering;
  readonly cut: () => void;
  readonly isBusy: () => boolean;
};

/** Takes connections in until it is closed. */
export class Door {
  readonly #inside: Inside;
  readonly #guests = new Set<Guest>();
  #place: Place;
  #listener: Deno.Listener;

  private constructor(place: Place, inside: Inside) {
    this.#place = place;
    this.#inside = inside;
    this.#listener = listen(place);
    void this.#takeFrom(this.#listener);
  }

  /** Opens it. Throws a `Fault` where nothing can listen there. */
  static open(place: Place, inside: Inside): Door {
    return new Door(place, inside);
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /**
   * New connections see this certificate; those that are there stay as they are.
   */
  renew(certificate: Certificate): void {
    const place = { ...this.#place, port: this.port, certificate };
    const before = this.#listener;
    this.#listener = listen(place);
    this.#place = place;
    void this.#takeFrom(this.#listener);
    before.close();
  }

  /** Takes no more connections; those that are busy have `grace_ms` to end. */
  async close(grace_ms: number): Promise<void> {
    this.#listener.close();
    const guests = [...this.#guests];
    for (const guest of guests) if (!guest.isBusy()) guest.cut();
    const ended = Promise.allSettled(guests.map(({ answering }) => answering.shutdown()));
    await inTime(ended, { wait_ms: grace_ms, effects: this.#inside.effects });
  }

  async #takeFrom(listener: Deno.Listener): Promise<void> {
    const { effects, log } = this.#inside;
    for (;;) {
      try {
        this.#welcome(await listener.accept());
      } catch (error) {
        if (error instanceof Deno.errors.BadResource) return;
        if (error instanceof Deno.errors.Interrupted) return;
        // The client is gone already, or the process may open no more files.
        log.warning("a connection could not be taken: {error}", { error });
        await effects.sleep(service_limits.accept_again_ms);
      }
    }
  }

  #welcome(socket: Deno.Conn): void {
    const { connections, answer, log } = this.#inside;
    const remoteAddr = socket.remoteAddr as Deno.NetAddr;
    const stop = new Knife();
    const cut = () => stop.cut();
    const connection = connections.open(remoteAddr.hostname, cut);
    if (connection === undefined) return socket.close();
    const handler: Handler = (request, { completed }) => {
      connection.begin();
      completed.then(connection.end, connection.end);
      return answer(request, { remoteAddr });
    };
    const onError = (error: unknown) => {
      log.error("a request was not answered: {error}", { error });
      return new Response(null, { status: 500 });
    };
    const answering = answerOn!(socket, stop, handler, onError, () => {});
    const guest: Guest = { answering, cut, isBusy: () => connection.is_busy };
    this.#guests.add(guest);
    const leave = () => {
      this.#guests.delete(guest);
      connection.leave();
    };
    // That a client is gone, or sends what is no HTTP, is no failure of ours; but the server keeps
    // a part of such a connection until it is told to end.
    const failed = () => answering.shutdown().catch(() => {});
    answering.finished.catch(failed).then(leave);
  }
}

/**
 * Ends a connection, as the runtime's server knows it: an abort signal's part. A connection that
 * ends by itself at this very moment makes the server throw, which out of a real signal's listener
 * would end the process.
 */
class Knife {
  #cut = () => {};

  addEventListener(_: string, listener: EventListenerOrEventListenerObject): void {
    if (typeof listener === "function") this.#cut = () => listener(new Event("abort"));
  }

  cut(): void {
    try {
      this.#cut();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }
}

/** Throws a `Fault` where something else listens, or nothing can: before anything is made. */
export function requirePlace({ host, port }: Omit<Place, "certificate">): void {
  if (!answerOn) throw new Fault("not_available", `Deno ${Deno.version.deno} can't serve this`);
  listen({ host, port }).close();
}

/**
 * The certificate that the settings name; undefined without one. Throws a `Fault` where one of its
 * files is missing, or they do not belong together.
 */
export async function readCertificate(
  { tls_cert, tls_key }: Pick<Settings, "tls_cert" | "tls_key">,
): Promise<Certificate | undefined> {
  if (tls_cert === "none" && tls_key === "none") return undefined;
  if (tls_cert === "none" || tls_key === "none") {
    throw new Fault("invalid", "tls_cert and tls_key are set together: the other one is missing");
  }
  const [cert, key] = await Promise.all([
    readPem("tls_cert", tls_cert),
    readPem("tls_key", tls_key),
  ]);
  try {
    Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key }).close();
  } catch (error) {
    const { message } = error as Error;
    throw new Fault("invalid", `tls_cert and tls_key are no certificate and its key: ${message}`);
  }
  return { cert, key };
}

async function readPem(name: string, path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    const { message } = await fileRefusal(path, error);
    throw new Fault("invalid", `${name}: ${message}`);
  }
}

function listen({ host: hostname, port, certificate }: Place): Deno.Listener {
  const options = { hostname, port };
  if (certificate === undefined) return orFault(options, () => Deno.listen(options));
  // A door that is renewed listens twice for a moment.
  const secure = { ...options, ...certificate, reusePort: true, alpnProtocols: ["h2", "http/1.1"] };
  return orFault(options, () => Deno.listenTls(secure));
}

function orFault<T>({ hostname, port }: { hostname: string; port: number }, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      const remedy = "stop what listens there, or give another --port";
      throw new Fault("conflict", `port ${port} on ${hostname} is in use: ${remedy}`);
    }
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new Fault("forbidden", `this process may not listen on port ${port}: change \`port\``);
    }
    const what = `nothing can listen on ${hostname}, which the setting host or metrics names`;
    throw new Fault("invalid", `${what}: ${(error as Error).message}`);
  }
}
