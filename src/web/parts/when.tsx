// Instants of the page: in the plant's zone, with the offset for those who point at them.
import { now_ms } from "../frame/clock.ts";
import { no_number, spanText } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { dateText, longDateText, offsetText, secondText, timeText } from "../frame/zone.ts";
import { say } from "../frame/say.ts";

/** An instant as answers have it; a dash where there is none. */
export function When({ at }: { readonly at: string | null | undefined }) {
  const at_ms = Date.parse(at ?? "");
  if (Number.isNaN(at_ms)) return <>{no_number}</>;
  const is_near = Math.abs(now_ms.value - at_ms) < 180 * 86_400_000;
  const day = is_near ? dateText(at_ms, zone.value) : longDateText(at_ms, zone.value);
  const whole = [longDateText(at_ms, zone.value), secondText(at_ms, zone.value)].join(", ");
  return (
    <time dateTime={at!} title={`${whole} ${offsetText(at_ms, zone.value)}`}>
      {day} {timeText(at_ms, zone.value)}
    </time>
  );
}

/** How long ago an instant was, or in how long it will be. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const at_ms = Date.parse(at ?? "");
  if (Number.isNaN(at_ms)) return <>{no_number}</>;
  const past_ms = now_ms.value - at_ms;
  const text = spanText(Math.abs(past_ms));
  return (
    <span title={`${longDateText(at_ms, zone.value)}, ${secondText(at_ms, zone.value)}`}>
      {past_ms < 0 ? say().in_time(text) : say().ago(text)}
    </span>
  );
}
