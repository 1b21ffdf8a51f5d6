// What the colours of the map mean.
import { say } from "./say.ts";

/** The legend of the map. */
export function Scale({ show }: { readonly show: string }) {
  const is_power = show === "shortfall" || show === "peers";
  const entries = [
    ["ramp", is_power ? say().scale_own : say().scale_apart],
    ...show === "shortfall" ? [["shared", say().scale_shared]] : [],
    ["outage", say().scale_out],
    ["missing", say().scale_missing],
  ];
  return (
    <div class="heat-scale">
      {entries.map(([look, text]) => (
        <span>
          <i class={look} />
          {text}
        </span>
      ))}
    </div>
  );
}
