// The words of Modbus: tables, transports, types of values in registers and the order of words.

/** The four tables of a device. */
export const modbus_tables = ["holding", "input", "coil", "discrete"] as const;
export type ModbusTable = typeof modbus_tables[number];

/** Whether a table holds bits, not registers. */
export function isBits(table: ModbusTable): boolean {
  return table === "coil" || table === "discrete";
}

/** How messages are framed: with a header for TCP, or as on a serial line, with a checksum. */
export const transports = ["tcp", "rtu"] as const;
export type Transport = typeof transports[number];

/** What registers hold. */
export const register_types = [
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "float32",
  "float64",
  "string",
] as const;
export type RegisterType = typeof register_types[number];

/** Registers of a value of each type; a text has as many as its point says. */
export const register_counts: Readonly<Record<RegisterType, number>> = {
  int16: 1,
  uint16: 1,
  int32: 2,
  uint32: 2,
  int64: 4,
  uint64: 4,
  float32: 2,
  float64: 4,
  string: 1,
};

/** Which word of a value comes first; bytes within a word are always high, then low. */
export const word_orders = ["big", "little"] as const;
export type WordOrder = typeof word_orders[number];
