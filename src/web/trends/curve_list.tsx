// The curves that are shown: each with its sign, its value where the cursor is, and its removal.
import { zone } from "../frame/session.ts";
import { dateText, offsetText, secondText } from "../frame/zone.ts";
import { flags, toldAt } from "./samples.ts";
import { say } from "./say.ts";
import type { Trace } from "./series.ts";
import { change } from "../frame/place.ts";
import { cursor_ms, curve_words, focused, last_ms, setCurves, sources, span } from "./view.ts";
import { colorAt, valueText } from "./plot.tsx";

/** The curves, and when their values are of. */
export function CurveList({ traces }: { readonly traces: readonly Trace[] }) {
  const at_ms = cursor_ms.value ?? Math.min(span.value.to_ms, last_ms.value);
  return (
    <div class="curves">
      <p class="quiet">
        {dateText(at_ms, zone.value)} {secondText(at_ms, zone.value)}{" "}
        {offsetText(at_ms, zone.value)}
      </p>
      <ul aria-label={say().curves}>
        {sources.value.map(({ word, label, is_expected }, i) => (
          <li class={focused.value === word ? "stands-out" : undefined}>
            <button
              type="button"
              class="bare"
              aria-pressed={focused.value === word}
              title={say().stand_out(label)}
              onClick={() =>
                change({ focus: focused.value === word ? undefined : word })}
            >
              <i
                class={`swatch ${is_expected ? "dashed" : ""}`}
                style={{ "--swatch": `var(${colorAt(i)})` }}
              />
              {label}
            </button>
            {traces.filter(({ source }) => source.word === word).map((trace) => (
              <Value trace={trace} at_ms={at_ms} />
            ))}
            <button
              type="button"
              class="bare"
              aria-label={say().remove(label)}
              title={say().remove(label)}
              onClick={() => setCurves(curve_words.value.filter((it) => it !== word))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A value where the cursor is, and that it is not good where it is not. */
function Value({ trace, at_ms }: { readonly trace: Trace; readonly at_ms: number }) {
  const { samples, gap_ms, source, days, step_ms } = trace;
  const i = toldAt({ samples, gap_ms: Math.max(gap_ms, 2 * step_ms) }, at_ms);
  const flag = i === undefined ? undefined : samples.flags[i];
  const sign = flag === flags.bad
    ? say().bad
    : flag === flags.uncertain
    ? say().uncertain
    : flag === flags.carried
    ? say().carried
    : undefined;
  return (
    <span>
      {days > 0 && <small class="quiet">{say().days_before(days)}</small>}
      <b>{valueText(i === undefined ? undefined : samples.values[i], source.unit)}</b>
      {sign && <small class={sign === say().carried ? "quiet" : "quality"}>{sign}</small>}
    </span>
  );
}
