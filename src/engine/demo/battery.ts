// The demo's battery: 5 MW and 20 MWh that fill up around noon and empty into the evening.

/** The battery's size: two converters of 2.5 MW before one store of 20 MWh. */
export const battery_size = { power_w: 5_000_000, energy_wh: 20_000_000, pcs: 2 } as const;

const charge_efficiency = 0.94;
const highest = 0.95;
const lowest = 0.08;

/** What surrounds the battery during a step; `hour` is of the solar day. */
type BatteryStep = {
  readonly hour: number;
  readonly pv_w: number;
  readonly ambient_c: number;
  readonly step_s: number;
};

/** The battery's present state; `power_w` is positive when it discharges. */
export class Battery {
  stored_wh = 0.3 * battery_size.energy_wh;
  power_w = 0;
  exported_wh = 9_100_000_000;
  imported_wh = 10_300_000_000;
  temp_c = 24;

  /** State of charge, percent. */
  get soc_pct(): number {
    return 100 * this.stored_wh / battery_size.energy_wh;
  }

  /** Power that it could take now, W. */
  get chargeable_w(): number {
    return battery_size.power_w * taper(highest - this.stored_wh / battery_size.energy_wh);
  }

  /** Power that it could give now, W. */
  get dischargeable_w(): number {
    return battery_size.power_w * taper(this.stored_wh / battery_size.energy_wh - lowest);
  }

  advance({ hour, pv_w, ambient_c, step_s }: BatteryStep): void {
    const share = step_s / 3600;
    this.power_w = this.#wanted(hour, pv_w);
    const energy_wh = this.power_w * share;
    if (energy_wh > 0) this.exported_wh += energy_wh;
    else this.imported_wh -= energy_wh;
    this.stored_wh -= energy_wh > 0 ? energy_wh : energy_wh * charge_efficiency;
    const target_c = 0.35 * ambient_c + 15 + 9 * Math.abs(this.power_w) / battery_size.power_w;
    this.temp_c += (target_c - this.temp_c) * Math.min(1, step_s / 3600);
  }

  #wanted(hour: number, pv_w: number): number {
    if (hour >= 9.5 && hour < 15) return -Math.min(this.chargeable_w, pv_w * 0.35);
    if (hour >= 17 && hour < 22) return this.dischargeable_w;
    return 0;
  }
}

/** Full power until a twentieth of the store remains, then ever less. */
function taper(room: number): number {
  return Math.max(0, Math.min(1, room / 0.05));
}
