// Which powers of a file are beyond their rating, and which unit would fit.
import { numberText, quantityText, unitHintText } from "../frame/number.ts";
import { say } from "./say.ts";
import type { Excess } from "./store.ts";

/** More lines would hide what is below them. */
const most_shown = 20;

/** A line for each tag. */
export function ExcessList({ excess }: { readonly excess: readonly Excess[] }) {
  const more = excess.length - most_shown;
  return (
    <>
      {excess.slice(0, most_shown).map((it) => (
        <p class="import-excess">{excessText(it)} {unitHintText(it)}</p>
      ))}
      {more > 0 && <p class="quiet">{say().more_columns(numberText(more))}</p>}
    </>
  );
}

function excessText({ count, tag, rated_w, greatest_w }: Excess): string {
  const [rated, greatest] = [rated_w, greatest_w].map((it) => quantityText(it, "W"));
  return say().excess(numberText(count), tag, rated, greatest);
}
