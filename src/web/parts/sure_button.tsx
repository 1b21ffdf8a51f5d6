// A button for what cannot be undone: it asks once more before it does it.
import { useSignal } from "@preact/signals";
import { say } from "../frame/say.ts";

/** Does something after a second press, which says what it comes to. */
export function SureButton({ label, sure, isDisabled = false, onSure }: {
  readonly label: string;
  /** What the second press is asked with. */
  readonly sure: string;
  readonly isDisabled?: boolean;
  readonly onSure: () => void;
}) {
  const is_asking = useSignal(false);
  if (!is_asking.value) {
    return (
      <button type="button" disabled={isDisabled} onClick={() => is_asking.value = true}>
        {label}
      </button>
    );
  }
  return (
    <span class="sure" role="group" aria-label={sure}>
      <span>{sure}</span>
      <button
        type="button"
        class="main"
        disabled={isDisabled}
        onClick={() => {
          is_asking.value = false;
          onSure();
        }}
      >
        {label}
      </button>
      <button type="button" onClick={() => is_asking.value = false}>{say().leave}</button>
    </span>
  );
}
