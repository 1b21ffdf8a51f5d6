// What operators say of inverters: states that outrank all evidence, and declared losses.
import { useSignal } from "@preact/signals";
import { send } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { percentText } from "../frame/number.ts";
import { deviceOf } from "../frame/plant.ts";
import { may, project, zone } from "../frame/session.ts";
import { dateText, instantText, offsetText } from "../frame/zone.ts";
import { useSending } from "../parts/act.ts";
import { Loaded, Panel, problemText } from "../parts/panel.tsx";
import { type Override, overrides_path, useOverrides } from "./data.ts";
import { partText } from "./evidence.tsx";
import { OverrideForm } from "./override_form.tsx";
import type { Range } from "./range.ts";
import { say } from "./say.ts";
import { stateText } from "./state.ts";

/** The overrides of the range; to be added and removed by who may, and not in a replay. */
export function Overrides({ range, changed }: {
  readonly range: Range;
  /** Rises whenever something was changed, by `onChange`. */
  readonly changed: { readonly count: number; readonly onChange: () => void };
}) {
  const overrides = useOverrides(range, changed.count);
  const is_open = useSignal(false);
  const may_change = may("operate") && at_ms.value === undefined;
  return (
    <Panel
      title={say().overrides}
      aside={may_change && (
        <button
          type="button"
          aria-expanded={is_open.value}
          onClick={() => is_open.value = !is_open.value}
        >
          {say().override_new}
        </button>
      )}
    >
      <p class="quiet small">{say().overrides_help}</p>
      {may_change && is_open.value && (
        <OverrideForm
          range={range}
          onDone={() => {
            is_open.value = false;
            changed.onChange();
          }}
        />
      )}
      <Loaded of={overrides} isEmpty={(it) => it.length === 0} empty={say().no_overrides}>
        {(all) => (
          <ul class="overrides">
            {all.map((it) => (
              <OverrideRow
                key={it.override_id}
                of={it}
                onRemoved={may_change ? changed.onChange : undefined}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function OverrideRow({ of, onRemoved }: {
  readonly of: Override;
  readonly onRemoved: (() => void) | undefined;
}) {
  const { state, loss, share, reason, author, created_at, hierarchy_ids } = of;
  const [from, to] = [of.from, of.to].map((it) => Date.parse(it));
  const names = hierarchy_ids.map((id) => deviceOf(id)?.name ?? id);
  return (
    <li>
      <b>{state ? stateText(state) : `${partText(loss!)} ${percentText(share)}`}</b>{" "}
      {names.length > 4 ? say().inverters_count(names.length) : names.join(", ")} ·{" "}
      {instantText(from, zone.value)} – {to > moment_ms.value && at_ms.value !== undefined
        ? say().goes_on
        : instantText(to, zone.value)} <span class="quiet">{offsetText(from, zone.value)}</span>
      <p>{reason}</p>
      <p class="quiet small">
        {author}, {dateText(Date.parse(created_at), zone.value)}
      </p>
      {onRemoved && <Remove of={of} onRemoved={onRemoved} />}
    </li>
  );
}

/** Removes an override, once that was said twice. */
function Remove({ of, onRemoved }: { readonly of: Override; readonly onRemoved: () => void }) {
  const is_asking = useSignal(false);
  const sending = useSending();
  const remove = async () => {
    const query = { project_id: project.value!.id };
    await send("DELETE", `${overrides_path}/${of.override_id}`, { query });
    onRemoved();
  };
  return (
    <p class="row">
      {is_asking.value
        ? (
          <>
            <button type="button" class="main" onClick={() => void sending.send(remove)}>
              {say().override_remove_sure}
            </button>
            <button type="button" onClick={() => is_asking.value = false}>{say().cancel}</button>
          </>
        )
        : (
          <button type="button" onClick={() => is_asking.value = true}>
            {say().override_remove}
          </button>
        )}
      {sending.problem && <span role="alert">{problemText(sending.problem)}</span>}
    </p>
  );
}
