// The index of the documentation that the search of its pages looks through.
import { page_limits } from "./limits.ts";

/** A place of the documentation: its address, what it is called, the page, its words. */
type Place = readonly [href: string, title: string, page: string, words: string];

/** The sections of all pages, by address, as JSON. */
export async function searchIndex(
  pages: ReadonlyMap<string, () => Promise<string>>,
): Promise<string> {
  const places: Place[] = [];
  for (const [path, make] of pages) {
    const html = await make();
    const page = plain(/<title>([^]*?)<\/title>/.exec(html)![1]);
    // A section begins with an element that has an anchor.
    const parts = html.split(/<(?=(?:section|h2)\s+id=")/).slice(1);
    for (const part of parts) {
      const [, id] = /id="([^"]+)"/.exec(part)!;
      const [, head = id] = /<h2[^>]*>([^]*?)<\/h2>|^h2[^>]*>([^]*?)<\/h2>/.exec(`<${part}`) ?? [];
      const words = plain(`<${part.replaceAll(/<pre[^]*?<\/pre>/g, "")}`);
      const title = plain(head.replaceAll(/<span class="tag">[^<]*<\/span>/g, ""));
      places.push([`${path}#${id}`, title, page, words.slice(0, page_limits.search_length)]);
    }
  }
  return JSON.stringify(places);
}

/** The text of a piece of a page. */
function plain(html: string): string {
  return html.replaceAll("<wbr>", "").replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ").trim();
}
