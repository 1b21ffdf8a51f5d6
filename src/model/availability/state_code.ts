// Status codes and event bits of a device model: how a site file gives them, and their states.
import { z } from "zod";
import { availability_limits } from "./limits.ts";
import { type Device, type DeviceModel, modelOf } from "../plant/plant.ts";
import { type State, states } from "./availability.ts";

const state = z.enum(Object.keys(states) as [State, ...State[]]);

/** What status codes mean: the word of a standard, or a state by code. */
export const status_form = codes(/^(0|-?[1-9]\d{0,9})$/, "a whole number")
  .describe(
    "State by status code; a code that is not listed is no evidence. sunspec is 4 (MPPT) " +
      "full_capability, 5 (throttled) partial_capability, 7 (fault) forced_outage.",
  );

/** What the bits of an event word mean: the word of a standard, or a state by bit. */
export const events_form = codes(/^(\d|[1-5]\d|6[0-3])$/, "a bit from 0 to 63")
  .describe(
    "State by bit of the event word (0 is the lowest); other bits are no evidence. sunspec is " +
      "3 and 12 dc_side_outage; 4 and 8 to 11 out_of_electrical_specification; 6 " +
      "requested_shutdown; 7 and 13 out_of_environmental_specification; 0, 1, 2, 5, 14 and 15 " +
      "forced_outage.",
  );

/** The meaning of codes as it is checked. */
type CodesEntry = z.output<typeof status_form>;

/** States by status code, and by bit of the event word; what is not in them says nothing. */
export type Codes = {
  readonly status: ReadonlyMap<number, State>;
  readonly events: ReadonlyMap<number, State>;
};

/** What the codes of a device mean by its device model; empty where that is silent. */
export function codesOf(
  device: Pick<Device, "site_no" | "device_model">,
  models: readonly DeviceModel[],
): Codes {
  const model = modelOf(device, models);
  return {
    status: statesOf(model?.status, sunspec_status),
    events: statesOf(model?.events, sunspec_events),
  };
}

/** The JSON of a meaning of codes, the same for the same meaning; null for one that is silent. */
export function codesText(entry: CodesEntry | undefined): string | null {
  if (entry === undefined) return null;
  if (typeof entry === "string") return JSON.stringify(entry);
  const rising = Object.entries(entry).sort(([a], [b]) => Number(a) - Number(b));
  return rising.length === 0 ? null : JSON.stringify(Object.fromEntries(rising));
}

type CodeTable = Readonly<Record<string, State>>;

/**
 * SunSpec inverter models 101 to 113, point `St`. Silent are 1 off, 2 sleeping, 3 starting,
 * 6 shutting down and 8 standby: an inverter is so every night, and what keeps it so by day is
 * for other evidence to say.
 */
const sunspec_status: CodeTable = {
  4: "full_capability", // tracking the maximum power point
  5: "partial_capability", // throttled
  7: "forced_outage", // fault
};

/** The same models, point `Evt1`. */
const sunspec_events: CodeTable = {
  0: "forced_outage", // ground fault
  1: "forced_outage", // DC over voltage
  2: "forced_outage", // AC disconnect open
  3: "dc_side_outage", // DC disconnect open
  4: "out_of_electrical_specification", // grid disconnect
  5: "forced_outage", // cabinet open
  6: "requested_shutdown", // manual shutdown
  7: "out_of_environmental_specification", // over temperature
  8: "out_of_electrical_specification", // over frequency
  9: "out_of_electrical_specification", // under frequency
  10: "out_of_electrical_specification", // AC over voltage
  11: "out_of_electrical_specification", // AC under voltage
  12: "dc_side_outage", // blown string fuse
  13: "out_of_environmental_specification", // under temperature
  14: "forced_outage", // memory or communication error
  15: "forced_outage", // hardware test failure
};

function statesOf(text: string | null | undefined, sunspec: CodeTable): Map<number, State> {
  if (!text) return new Map();
  const entry = JSON.parse(text) as CodesEntry;
  const table = entry === "sunspec" ? sunspec : entry;
  return new Map(Object.entries(table).map(([code, state]) => [Number(code), state]));
}

function codes(form: RegExp, what: string) {
  const table = z.record(z.string().regex(form, { error: `a key is ${what}` }), state)
    .refine((entries) => Object.keys(entries).length <= availability_limits.state_codes, {
      error: `give at most ${availability_limits.state_codes} codes`,
    });
  return z.union([z.literal("sunspec"), table], {
    error: 'give "sunspec" or a table of states by code',
  });
}
