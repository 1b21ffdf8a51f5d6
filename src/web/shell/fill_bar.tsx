// The bar above every page while the demo makes its history: what is done, and how much is left.
import { filling } from "../frame/fill.ts";
import { numberText } from "../frame/number.ts";
import { say } from "../frame/say.ts";

/** The progress of the demo's history; nothing once it is done. */
export function FillBar() {
  const state = filling.value;
  if (!state?.job) return null;
  const percent = Math.floor(state.percent);
  return (
    <div class="fill">
      <label>
        {state.left > 0 ? say()[`fill_${state.job}`](numberText(state.left)) : say().fill_end}
        <progress max={100} value={percent} />
      </label>
      <b>{percent} %</b>
    </div>
  );
}
