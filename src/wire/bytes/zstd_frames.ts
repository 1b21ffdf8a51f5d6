// Follows the frames of a zstd stream (RFC 8878): whether it ended at a frame's end, its windows.

const frame_magic = 0xfd2fb528;
const skippable_magic = 0x184d2a50;

/** What the next header bytes are of. */
type Part = "magic" | "descriptor" | "frame" | "skippable" | "block";

/**
 * Fed the compressed bytes as they go by. The decompressor of the runtime takes a stream that is
 * cut short for a whole one, and leaves what follows its first frame, so both are judged here; what
 * is inside the blocks is its business.
 */
export class ZstdFrames {
  /** Bytes of the header that is being read, until there are enough of them. */
  #header: number[] = [];
  #want = 4;
  #part: Part = "magic";
  #skip = 0;
  #checksum = 0;
  #descriptor = 0;
  #window_bytes = 0;

  /** Takes the next bytes of the stream, as far as its frame goes; says how many that were. */
  push(bytes: Uint8Array): number {
    let at = 0;
    do {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, bytes.length - at);
        this.#skip -= step;
        at += step;
      } else {
        this.#header.push(bytes[at++]);
        if (this.#header.length === this.#want) this.#read();
      }
    } while (at < bytes.length && !this.whole);
    return at;
  }

  /** Whether the stream so far is whole frames: the last one has ended. */
  get whole(): boolean {
    return this.#part === "magic" && this.#header.length === 0 && this.#skip === 0;
  }

  /** The largest window of the frames so far: memory that the decompressor sets up for one. */
  get window_bytes(): number {
    return this.#window_bytes;
  }

  #read(): void {
    const header = this.#header;
    const value = numberOf(header);
    this.#header = [];
    if (this.#part === "magic") {
      // Anything else is for the decompressor to refuse.
      const skippable = value - (value & 0xf) === skippable_magic;
      this.#to(skippable ? "skippable" : "descriptor", skippable ? 4 : 1);
      if (!skippable && value !== frame_magic) this.#skip = Infinity;
    } else if (this.#part === "skippable") {
      this.#skip = value;
      this.#to("magic", 4);
    } else if (this.#part === "descriptor") {
      const { single, dictionary, size } = partsOf(value);
      this.#descriptor = value;
      this.#checksum = (value & 4) === 0 ? 0 : 4;
      this.#to("frame", dictionary + size + (single ? 0 : 1));
    } else if (this.#part === "frame") {
      const { single, dictionary, size } = partsOf(this.#descriptor);
      // What is written in two bytes begins where one byte ends.
      const window_bytes = single
        ? numberOf(header.slice(dictionary)) + (size === 2 ? 256 : 0)
        : (8 + (header[0] & 7)) * 2 ** (7 + (header[0] >> 3));
      this.#window_bytes = Math.max(this.#window_bytes, window_bytes);
      this.#to("block", 3);
    } else {
      this.#block(value);
    }
  }

  /** A block header: a bit for the frame's last block, two bits of type, then the size. */
  #block(value: number): void {
    const run_length = ((value >> 1) & 3) === 1;
    const last = (value & 1) === 1;
    this.#skip = (run_length ? 1 : value >>> 3) + (last ? this.#checksum : 0);
    if (last) this.#to("magic", 4);
  }

  #to(part: Part, want: number): void {
    this.#part = part;
    this.#want = want;
  }
}

/** A number as its bytes, the lowest first. */
function numberOf(bytes: readonly number[]): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** What a frame's descriptor says of the rest of its header: the bytes of its fields. */
function partsOf(descriptor: number) {
  // A frame in a single segment has no window of its own: its window is its content.
  const single = (descriptor >> 5) & 1;
  const dictionary = [0, 1, 2, 4][descriptor & 3];
  return { single, dictionary, size: [single, 2, 4, 8][descriptor >> 6] };
}
