// The search of the documentation: which places have all the words, those named by them first.

/** A place: its address, what it is called, the page, its words. */
export type Place = readonly [href: string, title: string, page: string, words: string];

const most_found = 12;

/** The places that have every word of a text, the best first. */
export function find(places: readonly Place[], text: string): readonly Place[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  const rated = places.map((place) => ({ place, rate: rateOf(place, words) }));
  return rated.filter(({ rate }) => rate > 0).toSorted((a, b) => b.rate - a.rate)
    .slice(0, most_found).map(({ place }) => place);
}

/** 0 where a word is missing; a word of the title counts more than one of the text. */
function rateOf([href, title, page, text]: Place, words: readonly string[]): number {
  const name = `${title} ${href}`.toLowerCase();
  const all = `${page} ${text}`.toLowerCase();
  let rate = 0;
  for (const word of words) {
    if (name.includes(word)) rate += 10;
    else if (all.includes(word)) rate += 1;
    else return 0;
  }
  return rate;
}
