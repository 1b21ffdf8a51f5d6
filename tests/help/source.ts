// The project's own sources as values, for the tidy test.

/** One source file: its path from the project's root, its text and its lines. */
export type Source = {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
};

/** A top-level function's parameters, as written. */
export type Signature = {
  readonly exported: boolean;
  readonly name: string;
  readonly params: readonly string[];
};

/** A function found in a source: its name as written, its first line and its length. */
export type Found = { readonly line: number; readonly lines: number; readonly head: string };

const root = new URL("../../", import.meta.url);

/** Every file under `folder` (a path from the root) whose name ends with one of `endings`. */
export function readSources(folder: string, endings: readonly string[]): Source[] {
  const sources: Source[] = [];
  for (const entry of Deno.readDirSync(new URL(`${folder}/`, root))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) sources.push(...readSources(path, endings));
    else if (endings.some((ending) => path.endsWith(ending))) sources.push(readSource(path));
  }
  return sources.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** One file by its path from the root. */
export function readSource(path: string): Source {
  return sourceOf(path, Deno.readTextFileSync(new URL(path, root)));
}

/** A source of some text. */
export function sourceOf(path: string, text: string): Source {
  return { path, text, lines: text.replace(/\n$/, "").split("\n") };
}

/** What a TypeScript source imports: paths from the root for our files, names for packages. */
export function importsOf({ path, text }: Source): string[] {
  const found = text.matchAll(
    /(?:^|\n)(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/g,
  );
  return Array.from(found, ([, named, dynamic]) => named ?? dynamic)
    .map((target) => target.startsWith(".") ? resolve(path, target) : target);
}

function resolve(from: string, target: string): string {
  return new URL(target, `file:///${from}`).pathname.slice(1);
}

/** The functions of a formatted source, by the indentation of their first and last line. */
export function functionsOf({ lines }: Source): Found[] {
  const found: Found[] = [];
  lines.forEach((text, i) => {
    if (!/(=>|\)(: .+)?) \{$/.test(text) || /^\s*(\} else|if|for|while|switch)\b/.test(text)) {
      return;
    }
    const indent = /^\s*/.exec(text)![0];
    const end = lines.findIndex((line, j) => j > i && line.startsWith(`${indent}}`));
    let start = i;
    if (/^\s*\)/.test(text)) {
      while (
        start > 0 &&
        !(lines[start - 1].startsWith(indent) && /^\S/.test(lines[start - 1].slice(indent.length)))
      ) start--;
      start--;
    }
    found.push({ line: start + 1, lines: end - start + 1, head: lines[start].trim() });
  });
  return found;
}

/** The parameters of each top-level function, as written. */
export function signaturesOf({ text }: Source): Signature[] {
  return Array.from(
    text.matchAll(/^(export )?(?:async )?function\*? (\w+)(?:<[^(]*>)?\(/gm),
    (m) => ({
      exported: m[1] !== undefined,
      name: m[2],
      params: splitParams(text.slice(m.index + m[0].length)),
    }),
  );
}

/** The pieces up to the closing bracket, split at commas outside of any bracket. */
function splitParams(text: string): string[] {
  const params: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    const arrow = c === ">" && text[i - 1] === "=";
    if ("([{<".includes(c)) depth++;
    if (")]}>".includes(c) && !arrow) depth--;
    if (depth < 0 || (c === "," && depth === 0)) {
      params.push(text.slice(from, i).trim());
      from = i + 1;
    }
    if (depth < 0) break;
  }
  return params.filter((param) => param !== "");
}
