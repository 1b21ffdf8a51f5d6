// The menu: who is signed in, language, light or dark, the reference, signing out.
import { say } from "../frame/say.ts";
import { choose, type Scheme, scheme, schemes } from "../frame/scheme.ts";
import { session, signOut } from "../frame/session.ts";
import { type Language, language, languages, speak } from "../frame/words.ts";

/** The menu at the end of the header. */
export function Menu() {
  return (
    <details class="menu">
      <summary aria-label={say().menu}>☰</summary>
      <div>
        <p>{session.value?.name}</p>
        <label>
          {say().language}
          <select
            value={language.value}
            onChange={({ currentTarget }) => speak(currentTarget.value as Language)}
          >
            {Object.entries(languages).map(([it, name]) => <option value={it}>{name}</option>)}
          </select>
        </label>
        <label>
          {say().scheme}
          <select
            value={scheme.value}
            onChange={({ currentTarget }) => choose(currentTarget.value as Scheme)}
          >
            {schemes.map((it) => <option value={it}>{say()[`scheme_${it}`]}</option>)}
          </select>
        </label>
        <a href="/docs">{say().reference}</a>
        <button type="button" onClick={() => void signOut()}>{say().sign_out}</button>
      </div>
    </details>
  );
}
