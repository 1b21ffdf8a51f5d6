// What the colours of the map mean.
import { numberText, percentText } from "../frame/number.ts";
import { full_share, toleranceOf } from "./judge.ts";
import { isShortfall } from "./map_data.ts";
import { say } from "./say.ts";
import { measuresOf } from "./view.ts";

/** The legend of the map. */
export function Scale({ show }: { readonly show: string }) {
  const is_power = isShortfall(show);
  const { full, is_share } = toleranceOf(measuresOf().get(show) ?? "");
  const most = is_power
    ? percentText(full_share, 0)
    : is_share
    ? percentText(full, 0)
    : `${numberText(full)}\u202fK`;
  const entries = [
    ["ramp", is_power ? say().scale_own(most) : say().scale_apart(most)],
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
