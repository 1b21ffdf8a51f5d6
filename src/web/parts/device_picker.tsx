// A choice of devices: typed by name, each shown with a way to take it out again.
import { useId, useRef } from "preact/hooks";
import { devices } from "../frame/plant.ts";
import { say } from "../frame/say.ts";

/** The chosen devices, by id, and the way to choose more. */
export function DevicePicker({ label, ids, onChange }: {
  readonly label: string;
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const add = (name: string) => {
    const found = devices.value.find((it) => it.name === name || it.key === name);
    if (!found) return;
    if (!ids.includes(found.device_id)) onChange([...ids, found.device_id]);
    input.current!.value = "";
  };
  const chosen = ids.map((id) => devices.value.find(({ device_id }) => device_id === id))
    .filter((it) => it !== undefined);
  return (
    <div class="device-picker">
      <label>
        {label}
        <input
          ref={input}
          list={list}
          autocomplete="off"
          placeholder={say().type_device}
          onInput={({ currentTarget }) => add(currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {devices.value.map(({ name, key }) => <option value={name}>{key}</option>)}
      </datalist>
      {chosen.length > 0 && (
        <div class="row">
          {chosen.map(({ device_id, name }) => (
            <button
              type="button"
              aria-label={say().remove_device(name)}
              onClick={() => onChange(ids.filter((it) => it !== device_id))}
            >
              {name} ×
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
