// DuckDB's C functions that are used here. Each call of its packaged addon keeps some memory for
// good: the runtime does not free what stands for an addon's object. Its own calls keep none.
import { utf8 } from "../../base/bytes.ts";
import { waitFor } from "../../base/effects_sleep.ts";
import { libraryPath } from "./library.ts";

/** An address in memory, also of what only DuckDB looks into. */
const address = "u64";
/** Memory of ours, for DuckDB to read or to write. */
const memory = "buffer";
/** 0 if all is well. */
const state = "u32";
/** A `duckdb_result` by its value. */
const result = { struct: [address, address, address, address, address, address] } as const;

/** The bytes of a `duckdb_result`. */
export const result_bytes = 48;

const interface_ = {
  duckdb_append_data_chunk: { parameters: [address, address], result: state },
  duckdb_appender_add_column: { parameters: [address, memory], result: state },
  duckdb_appender_clear: { parameters: [address], result: state },
  duckdb_appender_column_count: { parameters: [address], result: "u64" },
  duckdb_appender_column_type: { parameters: [address, "u64"], result: address },
  duckdb_appender_create_ext: {
    parameters: [address, memory, memory, memory, memory],
    result: state,
  },
  duckdb_appender_destroy: { parameters: [memory], result: state },
  duckdb_appender_error: { parameters: [address], result: address },
  duckdb_appender_error_data: { parameters: [address], result: address },
  duckdb_appender_flush: { parameters: [address], result: state },
  /** The same beside this thread. */
  flush_beside: {
    ...{ name: "duckdb_appender_flush", parameters: [address], result: state, nonblocking: true },
  },
  duckdb_bind_boolean: { parameters: [address, "u64", "bool"], result: state },
  duckdb_bind_double: { parameters: [address, "u64", "f64"], result: state },
  duckdb_bind_int64: { parameters: [address, "u64", "i64"], result: state },
  duckdb_bind_null: { parameters: [address, "u64"], result: state },
  duckdb_bind_parameter_index: { parameters: [address, memory, memory], result: state },
  duckdb_bind_value: { parameters: [address, "u64", address], result: state },
  duckdb_bind_varchar_length: { parameters: [address, "u64", memory, "u64"], result: state },
  duckdb_close: { parameters: [memory], result: "void" },
  duckdb_column_count: { parameters: [memory], result: "u64" },
  duckdb_column_name: { parameters: [memory, "u64"], result: address },
  duckdb_column_type: { parameters: [memory, "u64"], result: "u32" },
  duckdb_connect: { parameters: [address, memory], result: state },
  duckdb_create_config: { parameters: [memory], result: state },
  duckdb_create_data_chunk: { parameters: [memory, "u64"], result: address },
  duckdb_create_double: { parameters: ["f64"], result: address },
  duckdb_create_int32: { parameters: ["i32"], result: address },
  duckdb_create_int64: { parameters: ["i64"], result: address },
  duckdb_create_list_value: { parameters: [address, memory, "u64"], result: address },
  duckdb_create_logical_type: { parameters: ["u32"], result: address },
  duckdb_create_varchar_length: { parameters: [memory, "u64"], result: address },
  duckdb_data_chunk_get_size: { parameters: [address], result: "u64" },
  duckdb_data_chunk_get_vector: { parameters: [address, "u64"], result: address },
  duckdb_data_chunk_reset: { parameters: [address], result: "void" },
  duckdb_data_chunk_set_size: { parameters: [address, "u64"], result: "void" },
  duckdb_destroy_config: { parameters: [memory], result: "void" },
  duckdb_destroy_data_chunk: { parameters: [memory], result: "void" },
  duckdb_destroy_error_data: { parameters: [memory], result: "void" },
  duckdb_destroy_logical_type: { parameters: [memory], result: "void" },
  duckdb_destroy_pending: { parameters: [memory], result: "void" },
  duckdb_destroy_prepare: { parameters: [memory], result: "void" },
  duckdb_destroy_result: { parameters: [memory], result: "void" },
  duckdb_destroy_value: { parameters: [memory], result: "void" },
  duckdb_disconnect: { parameters: [memory], result: "void" },
  duckdb_error_data_error_type: { parameters: [address], result: "u32" },
  duckdb_execute_pending: { parameters: [address, memory], result: state, nonblocking: true },
  duckdb_execute_prepared: { parameters: [address, memory], result: state, nonblocking: true },
  duckdb_execute_prepared_streaming: {
    ...{ parameters: [address, memory], result: state, nonblocking: true },
  },
  duckdb_fetch_chunk: { parameters: [result], result: address },
  /** The same, where it may have to be made first. */
  fetch_chunk_later: {
    ...{ name: "duckdb_fetch_chunk", parameters: [result], result: address, nonblocking: true },
  },
  duckdb_free: { parameters: [address], result: "void" },
  duckdb_get_type_id: { parameters: [address], result: "u32" },
  duckdb_interrupt: { parameters: [address], result: "void" },
  duckdb_open_ext: {
    ...{ parameters: [memory, memory, address, memory], result: state, nonblocking: true },
  },
  duckdb_pending_error: { parameters: [address], result: address },
  duckdb_pending_execute_task: { parameters: [address], result: "u32", nonblocking: true },
  duckdb_pending_prepared: { parameters: [address, memory], result: state, nonblocking: true },
  duckdb_prepare: { parameters: [address, memory, memory], result: state, nonblocking: true },
  duckdb_prepare_error: { parameters: [address], result: address },
  duckdb_query: { parameters: [address, memory, memory], result: state, nonblocking: true },
  duckdb_result_error: { parameters: [memory], result: address },
  duckdb_result_error_type: { parameters: [memory], result: "u32" },
  duckdb_set_config: { parameters: [address, memory, memory], result: state },
  duckdb_vector_assign_string_element_len: {
    parameters: [address, "u64", memory, "u64"],
    result: "void",
  },
  duckdb_vector_ensure_validity_writable: { parameters: [address], result: "void" },
  duckdb_vector_get_data: { parameters: [address], result: address },
  duckdb_vector_get_validity: { parameters: [address], result: address },
} as const satisfies Deno.ForeignLibraryInterface;

type Symbols = Deno.DynamicLibrary<typeof interface_>["symbols"];

let symbols: Symbols | undefined;

/** The functions; the first call loads the library. */
export function duckdb(): Symbols {
  return symbols ??= Deno.dlopen(libraryPath(), interface_).symbols;
}

/** The number of the kind of error by which a database invalidates itself. */
const fatal = 30;

/** What it says of an attached file that a failed checkpoint has invalidated: no kind tells it. */
const ended_file =
  /^(IO Error: |Failed to append: )?(Checkpoint failed for d|D)atabase "\w+"\.? .*invalidated/;

/** What DuckDB says went wrong. */
export class DuckError extends Error {
  /** Whether it has invalidated the database; by its words where no number of its kind is given. */
  readonly is_fatal: boolean;

  constructor(message: string, kind?: number) {
    super(message);
    const is_ended = kind === undefined ? message.startsWith("FATAL Error: ") : kind === fatal;
    this.is_fatal = is_ended || ended_file.test(message);
  }
}

/** A text as C reads it; what stands behind a zero is not seen. */
export function cText(text: string): Uint8Array<ArrayBuffer> {
  return utf8(`${text}\0`);
}

/** A text with its length in bytes; memory even where it is empty. */
export function lengthText(text: string): [bytes: Uint8Array<ArrayBuffer>, length: bigint] {
  const bytes = cText(text);
  return [bytes, BigInt(bytes.length - 1)];
}

/** The text that C has at an address; empty where that is none. */
export function textAt(at: bigint): string {
  const pointer = Deno.UnsafePointer.create(at);
  return pointer === null ? "" : Deno.UnsafePointerView.getCString(pointer);
}

/** Fills `into` with what lies at an address. */
export function copyFrom(at: bigint, into: Uint8Array<ArrayBuffer>): void {
  Deno.UnsafePointerView.copyInto(Deno.UnsafePointer.create(at)!, into);
}

/** The memory at an address, as long as DuckDB keeps it. */
export function memoryAt(at: bigint, bytes: number): ArrayBuffer {
  return Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(at)!, bytes);
}

/** Memory that stays where it is while another thread works with it: a small array would move. */
export function fixedMemory(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(bytes));
}

/** Memory that another thread works with. */
const in_use = new Set<readonly Uint8Array[]>();

/** What a call on another thread gives; keeps the memory that it works with until then. */
export async function keeping<T>(memory: readonly Uint8Array[], call: Promise<T>): Promise<T> {
  in_use.add(memory);
  try {
    return await waitFor(call);
  } finally {
    in_use.delete(memory);
  }
}

/** Where DuckDB writes the address of what it makes, and from where it destroys it. */
export class Handle {
  /** For calls. */
  readonly memory: Uint8Array<ArrayBuffer> = fixedMemory(8);

  get address(): bigint {
    return new BigUint64Array(this.memory.buffer)[0];
  }
}
