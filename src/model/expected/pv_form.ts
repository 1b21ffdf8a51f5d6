// What a site file says of a device for expected power: PV parameters and grid limits, as forms.
import * as z from "zod";
import { expected_limits } from "./limits.ts";

const power = z.number().positive().max(expected_limits.rated_w);
const share = z.number().min(0).lt(1);
const azimuth = z.number().min(0).lt(360);

/** A single-axis tracker. */
export const tracker_form = z.strictObject({
  axis_tilt: z.number().min(0).max(90).default(0).describe("Tilt of the axis, degrees."),
  axis_azimuth: azimuth.default(180).describe("Direction of the axis, degrees from north."),
  max_angle: z.number().positive().max(90).default(60)
    .describe("Largest rotation to each side, degrees."),
  backtrack: z.boolean().default(true).describe(
    "Whether rows turn back so that they do not shade each other (backtracking).",
  ),
  ground_cover: z.number().positive().max(1).default(0.35)
    .describe("Module width over row distance; only backtracking uses it."),
});

/** A model of cell temperature, by its name. */
export const temperature_form = z.discriminatedUnion("model", [
  z.strictObject({
    model: z.literal("faiman"),
    u0: z.number().positive().max(1000).default(25).describe("W/(m²·K)."),
    u1: z.number().min(0).max(1000).default(6.84).describe("W/(m²·K) per m/s of wind."),
  }),
  z.strictObject({
    model: z.literal("sapm"),
    a: z.number().min(-10).max(0).default(-3.56),
    b: z.number().min(-1).max(0).default(-0.075).describe("Per m/s of wind."),
    delta_t: z.number().min(0).max(20).default(3).describe(
      "Cell temperature above module temperature, K, at 1000 W/m².",
    ),
  }),
  z.strictObject({
    model: z.literal("pvsyst"),
    u_c: z.number().positive().max(1000).default(29).describe("W/(m²·K)."),
    u_v: z.number().min(0).max(1000).default(0).describe("W/(m²·K) per m/s of wind."),
    module_efficiency: z.number().positive().lt(1).default(0.1),
    absorption: z.number().positive().max(1).default(0.9),
  }),
], { error: 'give a table with model = "faiman", "sapm" or "pvsyst"' });

const curve = z.array(z.tuple([z.number().min(0).max(1.5), z.number().min(0).max(1)]))
  .min(2).max(expected_limits.curve_points)
  .refine((points) => points.every(([load], i) => i === 0 || load > points[i - 1][0]), {
    error: "give points of rising load",
  });

/** What holds where neither a device nor its device model says otherwise; PVWatts version 5's. */
export const pv_defaults = {
  gamma: -0.0035,
  losses: 0.14,
  efficiency: 0.96,
  transposition: "hay_davies",
  albedo: 0.2,
  temperature: temperature_form.parse({ model: "faiman" }),
} as const;

/** A table of PV parameters; what it leaves out is its device model's, or else the default. */
export const pv_form = z.strictObject({
  rated_dc_w: power.optional().describe("Power of the modules at standard test conditions, W."),
  rated_ac_w: power.optional().describe("Rated power of the inverter, W."),
  gamma: usually(pv_defaults.gamma, z.number().min(-0.02).max(0))
    .describe("Temperature coefficient of power, 1/K."),
  losses: usually(pv_defaults.losses, share)
    .describe("Share lost between modules and inverter."),
  efficiency: usually(pv_defaults.efficiency, z.number().positive().max(1))
    .describe("Nominal efficiency of the inverter."),
  efficiency_curve: curve.optional().describe(
    "Points [load, efficiency] instead of the PVWatts curve. load is DC power / rated DC " +
      "input, and the rated DC input is rated_ac_w / efficiency.",
  ),
  tilt: z.number().min(0).max(90).optional()
    .describe("Of fixed modules, degrees: 0 is horizontal, 90 is vertical."),
  azimuth: azimuth.optional()
    .describe("Direction of fixed modules, degrees clockwise from north: 180 is south."),
  tracker: tracker_form.optional().describe("Single-axis tracker."),
  transposition: usually(pv_defaults.transposition, z.enum(["hay_davies", "isotropic"]))
    .describe("Model of the diffuse light on the plane."),
  albedo: usually(pv_defaults.albedo, z.number().min(0).max(1))
    .describe("Reflectance of the ground."),
  temperature: usually(pv_defaults.temperature, temperature_form)
    .describe("Model of the cell temperature."),
});

/** A table of PV parameters as it is checked: nested tables complete. */
export type PvEntry = z.output<typeof pv_form>;

/** A table of what stands between a device and the grid. */
export const grid_form = z.strictObject({
  losses: share.default(0).describe(
    "Share of power lost between the devices below and its terminals.",
  ),
  limit_w: power.optional().describe("Largest power that it passes on, W."),
  nominal_voltage_v: z.number().positive().max(expected_limits.nominal_v).optional()
    .describe("Voltage of its terminals; below half of it counts as a grid outage."),
});

/** A table of grid limits as it is checked. */
export type GridEntry = z.output<typeof grid_form>;

/** A field that is filled in only once a device's table lies over its device model's. */
function usually<F extends z.ZodType>(usual: z.output<F>, form: F): z.ZodOptional<F> {
  return form.optional().meta({ default: usual });
}
