// The way from a sensor to its samples.
import { now_ms } from "../frame/clock.ts";
import { Link } from "../parts/message.tsx";
import { say } from "./say.ts";

/** The samples of a tag from half a day before something began until now. */
export function TrendLink({ tag, since }: {
  readonly tag: string;
  readonly since: string | null;
}) {
  const day_ms = 86_400_000;
  const to_ms = Math.ceil(now_ms.value / day_ms) * day_ms;
  const from_ms = Date.parse(since ?? "") - day_ms / 2;
  const span = Number.isNaN(from_ms) ? {} : {
    from: new Date(from_ms).toISOString(),
    to: new Date(to_ms).toISOString(),
  };
  return (
    <Link page="trends" params={{ curves: encodeURIComponent(tag), ...span }}>
      {say().trend}
      <span class="hidden">{tag}</span>
    </Link>
  );
}
