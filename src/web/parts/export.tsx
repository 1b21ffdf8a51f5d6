// A view's rows to take away: as files, and as programs that fetch them.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Query } from "../frame/api.ts";
import { after } from "../frame/clock.ts";
import { say } from "../frame/say.ts";
import {
  fileAddress,
  type FileFormat,
  fileName,
  snippets,
  token_variable,
  type Tool,
  type View,
} from "../frame/snippet.ts";
import { Popover } from "./message.tsx";

const formats = { csv: "CSV", parquet: "Parquet", arrow: "Arrow", json: "JSON" } as const;

/** How long the button says that it has copied. */
const copied_ms = 2000;

/**
 * A button that opens the ways to take the rows of `path` with `query` away as `name`; `of` says
 * what they are where a view has several.
 */
export function Export({ path, query, name, of }: {
  readonly path: string;
  readonly query: Query;
  readonly name: string;
  readonly of?: string;
}) {
  return (
    <Popover button={say().export + (of ? `: ${of}` : "")} class="export">
      <Ways {...{ path, query, name }} />
    </Popover>
  );
}

function Ways(view: View) {
  return (
    <>
      <h3>{say().export_file}</h3>
      <p class="row">
        {Object.entries(formats).map(([format, title]) => (
          <a
            class="button"
            href={fileAddress(view, format as FileFormat)}
            download={fileName(view, format as FileFormat)}
          >
            {title}
          </a>
        ))}
      </p>
      <h3>{say().export_program}</h3>
      <Program {...view} />
    </>
  );
}

/** A program that fetches the rows, of the tool that is chosen. */
function Program(view: View) {
  const tool = useSignal<Tool>("pandas");
  const text = snippets[tool.value](view, location.origin);
  return (
    <>
      <p class="row">
        {(Object.keys(snippets) as Tool[]).map((it) => (
          <button
            type="button"
            aria-pressed={it === tool.value}
            onClick={() => tool.value = it}
          >
            {it}
          </button>
        ))}
        <Copy text={text} />
      </p>
      <pre tabIndex={0}>{text}</pre>
      <p class="quiet">{say().export_token(token_variable)}</p>
    </>
  );
}

/** A button that copies a text, and says that it has. */
export function Copy({ text, name = say().copy }: {
  readonly text: string;
  readonly name?: string;
}) {
  const copied = useSignal<string | undefined>(undefined);
  const source = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    // Only a secure place has a clipboard: others copy what is selected.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else {
      source.current!.select();
      document.execCommand("copy");
    }
    copied.value = text;
    after(copied_ms, () => copied.value = undefined);
  };
  return (
    <>
      <button type="button" onClick={() => void copy()} aria-live="polite">
        {copied.value === text ? say().copied : name}
      </button>
      <textarea
        ref={source}
        class="hidden"
        readOnly
        tabIndex={-1}
        aria-hidden="true"
        value={text}
      />
    </>
  );
}
