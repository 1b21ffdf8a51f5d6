// The top of every page of the documentation: its search, and with whose rights requests are tried.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { getJson } from "../frame/api.ts";
import { find, type Place } from "./find.ts";
import { signed_in, token } from "./rights.ts";

/** The search and the rights. */
export function Tools() {
  return (
    <div class="tools">
      <Search />
      <Rights />
    </div>
  );
}

/** What was looked up once is not asked for again. */
let places: Promise<readonly Place[]> | undefined;

function Search() {
  const text = useSignal("");
  const found = useSignal<readonly Place[]>([]);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const is_writing = (event.target as HTMLElement).matches("input, textarea, select");
      if (event.key !== "/" || is_writing) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const look = async (asked: string) => {
    text.value = asked;
    places ??= getJson<readonly Place[]>("/docs/index.json");
    const all = await places;
    if (text.value === asked) found.value = find(all, asked);
  };
  const clear = () => {
    text.value = "";
    found.value = [];
  };
  return (
    <search onKeyDown={(event) => event.key === "Escape" && clear()}>
      <label>
        Search
        <input
          ref={input}
          type="search"
          value={text}
          onInput={(event) => void look(event.currentTarget.value)}
        />
      </label>
      <p class="quiet" role="status">
        {text.value.trim() === "" ? "" : `${found.value.length || "no"} places`}
      </p>
      <ul class="found" hidden={found.value.length === 0}>
        {found.value.map(([href, title, page]) => (
          <li key={href}>
            <a href={href} onClick={clear}>
              {title} <span class="quiet">{page}</span>
            </a>
          </li>
        ))}
      </ul>
    </search>
  );
}

function Rights() {
  const name = signed_in.value;
  return (
    <label class="rights">
      {name === undefined ? "Token for trying requests" : `Signed in as ${name}; or a token`}
      <input
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={token}
        onInput={(event) => token.value = event.currentTarget.value.trim()}
      />
    </label>
  );
}
