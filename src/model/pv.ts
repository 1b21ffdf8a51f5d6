// A PV device's parameters for its expected power, and what limits the grid side of a plant.

/** How a plane of modules stands: fixed, or turning about one axis. Angles in degrees. */
export type Mount =
  | {
    readonly kind: "fixed";
    /** 0 lies flat, 90 stands upright. */
    readonly tilt: number;
    /** Clockwise from north: 90 is east, 180 south. */
    readonly azimuth: number;
  }
  | {
    readonly kind: "tracker";
    readonly axis_tilt: number;
    readonly axis_azimuth: number;
    /** The farthest rotation to both sides. */
    readonly max_angle: number;
    readonly backtrack: boolean;
    /** Module width over row distance, 0 to 1; only backtracking uses it. */
    readonly ground_cover: number;
  };

/** Cell temperature from irradiance, air and wind. Sources: Faiman 2008, King 2004, PVsyst. */
export type Temperature =
  | { readonly kind: "faiman"; readonly u0: number; readonly u1: number }
  | {
    readonly kind: "sapm";
    readonly a: number;
    readonly b: number;
    readonly delta_t: number;
  }
  | {
    readonly kind: "pvsyst";
    readonly u_c: number;
    readonly u_v: number;
    readonly module_efficiency: number;
    readonly absorption: number;
  };

/** Everything the expected power of a PV device is worked out from, every default filled in. */
export type PvParams = {
  /** Of its modules at standard test conditions, W. */
  readonly rated_dc_w: number;
  /** Of its inverter, W. */
  readonly rated_ac_w: number;
  /** Temperature coefficient of power, 1/K, at most 0. */
  readonly gamma: number;
  /** What is lost between modules and inverter, 0 to 1. */
  readonly losses: number;
  /** Nominal efficiency of the inverter, 0 to 1. */
  readonly efficiency: number;
  /** Instead of PVWatts' curve: efficiency by load (DC over rated DC input), rising loads. */
  readonly efficiency_curve: readonly (readonly [load: number, efficiency: number])[] | null;
  /** Null: only irradiance that was measured in the plane of array counts. */
  readonly mount: Mount | null;
  readonly transposition: "hay_davies" | "isotropic";
  /** Reflectance of the ground, 0 to 1. */
  readonly albedo: number;
  readonly temperature: Temperature;
};

/** What a block, feeder, transformer, meter or the system does to the power below it. */
export type GridParams = {
  /** Lost between what is below and its terminals, 0 to 1. */
  readonly losses: number;
  /** The most that it may or can pass on, W. */
  readonly limit_w: number | null;
  /** Of its terminals; a voltage under half of it is a grid outage for what is below. */
  readonly nominal_voltage_v: number | null;
};
