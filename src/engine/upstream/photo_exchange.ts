// At a gateway: the bytes of photos, to the centre and from it, a part at a time.
import * as z from "zod";
import { textOf } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import {
  detailOf,
  jsonIn,
  nextPartBytes,
  strange_centre,
  waitReason,
} from "../../model/upstream/upstream.ts";
import type { Photo } from "../../model/work/photo.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { dropGone, findChangeIds } from "../../store/work/change.ts";
import {
  dropPhotos,
  findComing,
  findSending,
  type NextPhoto,
  settlePhoto,
} from "../../store/work/photo.ts";
import type { Log } from "../core/log.ts";
import type { Photos } from "../work/photo.ts";
import type { Way } from "./forward.ts";
import { type BytesAnswer, type CentreQuestion, type Line, LineFault } from "./line.ts";

/** Where the bytes of photos go to, and come from. */
export const photo_path = "/ingest/v1/gateways/photos";

/** What a centre answers to bytes of a photo. */
export const photo_progress_form = z.object({
  have: z.int().nonnegative().describe("How many of its bytes are here, from the first one on."),
  is_whole: z.boolean().describe("Whether these are all, and on the disk."),
});

type PhotoParts = {
  readonly database: Database;
  readonly photos: Pick<Photos, "begun" | "part" | "receive" | "forget">;
  readonly effects: Pick<Effects, "monotonic_ms" | "now_us">;
  readonly log: Log;
  /** Called after each answer of the centre. */
  readonly onAnswer: () => void;
};

/** The line, and the centre's id of the project. */
type Place = { readonly line: Line; readonly id: string; readonly signal: AbortSignal };

/**
 * A photo that both sides know lacks its bytes at one of them. They go in parts that the line takes
 * in about two seconds, and go on where they were cut off. One that can't go now waits for its next
 * turn, and holds up nothing.
 */
export class PhotoExchange {
  readonly #parts: PhotoParts;
  /** How many bytes of a photo the centre has, as it said last. */
  readonly #have = new Map<string, number>();
  /** Photos that wait for their next turn: until when, and for how long. */
  readonly #later = new Map<string, { readonly until_ms: number; readonly wait_ms: number }>();
  #part_bytes: number = upstream_limits.photo_part_first;
  #turns = 0;
  /** Until when there is nothing to move. */
  #idle_ms = -Infinity;

  constructor(parts: PhotoParts) {
    this.#parts = parts;
  }

  /** Moves one part; says whether there may be more. Throws a `LineFault` where no line is. */
  async step({ line, projects, signal }: Way): Promise<boolean> {
    const now_ms = this.#parts.effects.monotonic_ms();
    if (now_ms < this.#idle_ms) return false;
    const later = [...this.#later].filter(([, it]) => it.until_ms > now_ms).map(([id]) => id);
    // Those of each side go in turns.
    const is_odd = this.#turns++ % 2 === 1;
    for (const [project_no, id] of projects) {
      const asked = { project_no, later };
      const place = { line, id, signal };
      const send = () => this.#send(asked, place);
      const fetch = () => this.#fetch(asked, place);
      const [first, second] = is_odd ? [fetch, send] : [send, fetch];
      if (await first() || await second()) return true;
    }
    this.#idle_ms = now_ms + upstream_limits.live_ms;
    return false;
  }

  /** Sends the next bytes of a photo; says whether there is one. */
  async #send(asked: NextPhoto, place: Place): Promise<boolean> {
    const photo = await this.#read((connection) => findSending(connection, asked));
    if (photo === undefined) return false;
    const { id } = photo;
    const from = this.#have.get(id);
    // How far the centre is has to be known first.
    const body = from === undefined
      ? new Uint8Array()
      : await this.#parts.photos.part(photo, { from, bytes: this.#bytesOn(place) }).catch(faultIn);
    if (body instanceof Fault) {
      await this.#settle(photo, body.message);
      return true;
    }
    const answer = await this.#ask(place, {
      path: photo_path,
      search: { project_id: place.id, id, from: String(from ?? 0) },
      ...{ body, media_type: "application/octet-stream" },
    });
    if (answer === undefined) return true;
    const text = textOf(answer.bytes);
    const progress = photo_progress_form.safeParse(jsonIn(text)).data;
    if (answer.status === 200 && progress) {
      this.#have.set(id, progress.have);
      if (progress.is_whole) await this.#settle(photo, null);
    } else if (answer.status !== null && [400, 404, 413, 422].includes(answer.status)) {
      await this.#settle(photo, detailOf(text));
    } else this.#putOff(photo, reasonOf(answer));
    return true;
  }

  /** Fetches the next bytes of a photo; says whether there is one. */
  async #fetch(asked: NextPhoto, place: Place): Promise<boolean> {
    const photo = await this.#read((connection) => findComing(connection, asked));
    if (photo === undefined) return false;
    const { photos } = this.#parts;
    const from = await photos.begun(photo.id);
    const bytes = Math.min(this.#bytesOn(place), Math.max(0, photo.size - from));
    const answer = await this.#ask(place, {
      path: photo_path,
      search: {
        ...{ project_id: place.id, id: photo.id, from: String(from), bytes: String(bytes) },
      },
    });
    if (answer === undefined) return true;
    // The centre may wait for it itself.
    if (answer.status === 404) this.#putOff(photo, null);
    else if (answer.status !== 200 || answer.bytes.length < bytes) {
      this.#putOff(photo, reasonOf(answer));
    } else {
      const got = await photos.receive(photo.id, { from, bytes: answer.bytes }).catch(faultIn);
      // It was removed meanwhile, or is not what the centre said of it.
      if (got instanceof Fault) this.#putOff(photo, got.message);
      else if (got.is_whole) this.#later.delete(photo.id);
    }
    return true;
  }

  #bytesOn({ line }: Place): number {
    const { photo_part_least, body_ms } = upstream_limits;
    const fitting = Math.max(photo_part_least, Math.floor(line.bytesIn(body_ms)));
    return Math.min(this.#part_bytes, fitting);
  }

  /** The answer; undefined where the turn is over. */
  async #ask(
    { line, signal }: Place,
    question: CentreQuestion,
  ): Promise<BytesAnswer | undefined> {
    const { effects } = this.#parts;
    const from_ms = effects.monotonic_ms();
    const answer = await line.askBytes(question, signal);
    if (signal.aborted) return undefined;
    if (answer.status === null) {
      this.#part_bytes = Math.max(upstream_limits.photo_part_least, this.#part_bytes / 2 | 0);
      throw new LineFault(waitReason(null, textOf(answer.bytes)));
    }
    this.#parts.onAnswer();
    const sent = Math.max(question.body?.length ?? 0, answer.bytes.length);
    const took_ms = effects.monotonic_ms() - from_ms;
    this.#part_bytes = nextPartBytes(this.#part_bytes, { sent, took_ms });
    return answer;
  }

  /** Lets a photo wait for its next turn; for one that the centre waits for longer each time. */
  #putOff({ id }: Photo, reason: string | null): void {
    const { effects, log } = this.#parts;
    const { photo_later_ms, work_aside_ms } = upstream_limits;
    const longer_ms = 2 * (this.#later.get(id)?.wait_ms ?? photo_later_ms / 2);
    const wait_ms = reason === null ? Math.min(longer_ms, work_aside_ms) : work_aside_ms;
    this.#later.set(id, { wait_ms, until_ms: effects.monotonic_ms() + wait_ms });
    if (reason !== null) log.warning("the photo {id} waits: {reason}", { id, reason });
  }

  /** Notes that the centre has a photo, or why it does not take it. */
  async #settle(photo: Photo, reason: string | null): Promise<void> {
    const { database, effects, log, photos } = this.#parts;
    const { id, project_no, owner_id } = photo;
    this.#have.delete(id);
    this.#later.delete(id);
    const is_gone = await database.write(async ({ connection }) => {
      await settlePhoto(connection, { ...photo, reason, at_us: effects.now_us() });
      const owners = await findChangeIds(connection, { project_no, ids: [owner_id] });
      if (reason !== null || owners.size > 0) return false;
      // What it is of has left this gateway: it was kept until the centre has it.
      await dropGone(connection, { project_no, owner_ids: [owner_id] });
      await dropPhotos(connection, [id]);
      return true;
    });
    if (is_gone) photos.forget([id]);
    if (reason === null) return;
    log.warning("the centre does not take the photo {id}: {reason}", { id, reason });
  }

  #read<T>(read: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#parts.database.read(read);
  }
}

/** What a photo alone is refused with; what keeps every one from its turn is thrown. */
function faultIn(error: unknown): Fault {
  if (error instanceof Fault && error.code !== "unavailable") return error;
  throw error;
}

/** Why an answer moves nothing. */
function reasonOf({ status, bytes }: BytesAnswer): string {
  return status === 200 ? strange_centre : waitReason(status, detailOf(textOf(bytes)));
}
