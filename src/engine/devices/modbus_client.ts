// A connection to Modbus devices: one question at a time, late and foreign answers dropped.
import { concat } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { type Line, LineFault } from "../../base/effects_line.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { isBits, type Transport } from "../../model/sources/register.ts";
import {
  exceptions,
  framed,
  FrameFlaw,
  FrameReader,
  type ModbusFrame,
  type ModbusQuestion,
  readQuestion,
  type ReadRequest,
  writeQuestion,
  type WriteRequest,
} from "../../wire/sources/modbus.ts";
import { SourceFault } from "./driver.ts";

/** Where devices are, and how they are spoken to. */
export type ModbusPlace = {
  readonly host: string;
  readonly port: number;
  readonly transport: Transport;
  readonly timeout_ms: number;
  readonly delay_ms: number;
  /** Registers that one request reads at most. */
  readonly most_registers: number;
};

type ClientEffects = Pick<Effects, "connect" | "sleep" | "monotonic_ms">;

/** What one unit does not answer as it should; the connection and its other units go on. */
export class UnitFault extends SourceFault {}

/** What was asked for, and what codes of refusals mean then. */
type Asked = { readonly asked: string; readonly words?: Readonly<Record<number, string>> };

function runText({ table, address }: ReadRequest | WriteRequest, count: number): string {
  return count === 1 ? `${table} ${address}` : `${table} ${address} to ${address + count - 1}`;
}

/** The device has refused a request; what it meant is in words. */
export class ModbusRefusal extends UnitFault {
  readonly exception: number;

  constructor(exception: number, { asked, words }: Asked) {
    const means = words?.[exception] ?? exceptions[exception] ??
      `refused it with code ${exception}`;
    super({ kind: "protocol", message: `${asked}, the device ${means}` });
    this.exception = exception;
  }
}

/** Whether a gateway has refused for a unit that is not there. */
export function isBehindGateway(error: unknown): boolean {
  return error instanceof ModbusRefusal && (error.exception === 10 || error.exception === 11);
}

/** Nobody answered a request in time. */
function silence(unit: number, { timeout_ms }: ModbusPlace, hint: string): UnitFault {
  const message = `unit ${unit} gives no answer within ${timeout_ms / 1000} s: is its unit id ` +
    `right, and is no other master connected?${hint}`;
  return new UnitFault({ kind: "timeouts", message });
}

/** An open connection. Questions are asked one after the other: a caller waits for each answer. */
export class ModbusClient {
  readonly #place: ModbusPlace;
  readonly #effects: ClientEffects;
  readonly #line: Line;
  #has_heard = false;
  readonly #frames: FrameReader;
  readonly #signal: AbortSignal;
  /** What is being received, which goes on beyond a question that nobody answered. */
  #receiving: Promise<Uint8Array | undefined> | undefined;
  #transaction = 0;
  /** When the time of the question is over, and who is told then. */
  #until_ms = 0;
  #late = Promise.withResolvers<void>();
  #is_guarded = false;
  readonly #closed = new AbortController();

  private constructor(
    line: Line,
    { place, effects, signal }: {
      readonly place: ModbusPlace;
      readonly effects: ClientEffects;
      readonly signal: AbortSignal;
    },
  ) {
    this.#line = line;
    this.#place = place;
    this.#effects = effects;
    this.#signal = AbortSignal.any([signal, this.#closed.signal]);
    this.#frames = new FrameReader(place.transport);
  }

  /** Connects, and waits for as long as the device wants. Throws a `LineFault`. */
  static async open(
    place: ModbusPlace,
    { effects, signal }: { readonly effects: ClientEffects; readonly signal: AbortSignal },
  ): Promise<ModbusClient> {
    const { host, port, timeout_ms, delay_ms } = place;
    const line = await effects.connect({ host, port, timeout_ms, signal });
    if (delay_ms > 0) await effects.sleep(delay_ms, signal);
    return new ModbusClient(line, { place, effects, signal });
  }

  close(): void {
    this.#closed.abort();
    this.#line.close();
  }

  /**
   * The bytes of what is asked for, by several requests where it is long. Throws a `UnitFault`,
   * after which the next question may be asked, or another fault, after which none may.
   */
  async read(request: ReadRequest): Promise<Uint8Array> {
    const { table, address, count } = request;
    const most = isBits(table) ? source_limits.request_bits : this.#place.most_registers;
    const parts: Uint8Array[] = [];
    for (let at = 0; at < count; at += most) {
      const part = { address: address + at, count: Math.min(most, count - at) };
      const asked = `asked for ${runText({ ...request, ...part }, part.count)}`;
      parts.push(await this.#ask(readQuestion({ ...request, ...part }), { asked }));
    }
    return parts.length === 1 ? parts[0] : concat(parts);
  }

  /** Writes once, and waits for the answer. Throws what `read` throws. */
  async write(request: WriteRequest): Promise<void> {
    const { table, bytes } = request;
    const asked = `told ${runText(request, table === "coil" ? 1 : bytes.length / 2)}`;
    await this.#ask(writeQuestion(request), { asked, words: { 3: "does not take this value" } });
  }

  async #ask(question: ModbusQuestion, asked: Asked): Promise<Uint8Array> {
    const { transport, timeout_ms } = this.#place;
    const transaction = this.#transaction = (this.#transaction + 1) & 0xffff;
    this.#until_ms = this.#effects.monotonic_ms() + timeout_ms;
    this.#late = Promise.withResolvers();
    void this.#guard();
    // On RTU nothing numbers an answer: what came too late for the last question is let go.
    if (transport === "rtu") this.#frames.clear();
    await this.#line.send(framed(question.message, { transport, transaction }));
    for (;;) {
      const frame = await this.#next(question.unit);
      if (!isFor(frame, { transport, transaction, question })) continue;
      if (frame.unit !== question.unit) {
        const message = `unit ${question.unit} was asked and unit ${frame.unit} answered: ` +
          `is the unit id ${frame.unit}?`;
        throw new UnitFault({ kind: "protocol", message });
      }
      const answer = question.answerIn(frame.pdu);
      if ("data" in answer) return answer.data;
      if ("exception" in answer) throw new ModbusRefusal(answer.exception, asked);
      throw new UnitFault({ kind: "protocol", message: answer.flaw });
    }
  }

  /** Says when the time of a question is over; one timer serves many of them. */
  async #guard(): Promise<void> {
    if (this.#is_guarded) return;
    this.#is_guarded = true;
    const { monotonic_ms, sleep } = this.#effects;
    while (monotonic_ms() < this.#until_ms && !this.#signal.aborted) {
      await sleep(this.#until_ms - monotonic_ms(), this.#signal);
    }
    this.#is_guarded = false;
    this.#late.resolve();
  }

  async #next(unit: number): Promise<ModbusFrame> {
    for (;;) {
      const frame = this.#whole();
      if (frame !== undefined) return frame;
      this.#receiving ??= this.#line.receive();
      const came = this.#receiving.then(() => true);
      if (!await Promise.race([came, this.#late.promise])) {
        this.#signal.throwIfAborted();
        throw silence(unit, this.#place, this.#hint);
      }
      const bytes = await this.#receiving;
      this.#receiving = undefined;
      if (bytes === undefined) {
        const message = "the device has closed the connection: is another master connected?";
        throw new LineFault("broken", message + this.#hint);
      }
      this.#frames.push(bytes);
    }
  }

  /** What may be wrong where nothing was ever answered as RTU. */
  get #hint(): string {
    if (this.#place.transport !== "rtu" || this.#has_heard) return "";
    return ' Or does it speak Modbus TCP (transport = "tcp")?';
  }

  #whole(): ModbusFrame | undefined {
    try {
      const frame = this.#frames.next();
      this.#has_heard ||= frame !== undefined;
      return frame;
    } catch (error) {
      if (!(error instanceof FrameFlaw)) throw error;
      throw new SourceFault({ kind: "protocol", message: error.message });
    }
  }
}

/** Whether a frame can be the answer to a request, not one to an earlier one that came late. */
function isFor(
  { transaction: of, unit, pdu }: ModbusFrame,
  { transport, transaction, question }: {
    readonly transport: Transport;
    readonly transaction: number;
    readonly question: ModbusQuestion;
  },
): boolean {
  if (transport === "tcp") return of === transaction;
  return unit === question.unit && !("flaw" in question.answerIn(pdu));
}
