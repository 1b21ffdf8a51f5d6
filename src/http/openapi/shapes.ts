// The shapes of a description: each object and list of words once, under a name of its own.
import { assert } from "../../base/assert.ts";

/** A JSON Schema as data. */
type Json = Readonly<Record<string, unknown>>;

/** Where a shape stands: in another shape or at the top, by which path, whose last field it is. */
type Place = { readonly within: string; readonly path: string; readonly field: string };

type Shape = {
  readonly schema: Json;
  /** Its names in the sources: one, or none. */
  readonly titles: Set<string>;
  readonly places: Place[];
};

/** What says nothing about the form of a value. */
const notes = new Set(["title", "description", "default", "examples"]);

/**
 * Collects the shapes of some schemas, then gives each a name: its title, or what it is of.
 * Generators of clients make a class of each; they read no tuples, no shapes that may be null, and
 * no name that two shapes have.
 */
export class Shapes {
  readonly #shapes = new Map<string, Shape>();
  readonly #names = new Map<string, string>();

  /**
   * Takes in a schema of a request or an answer called `name`, of a parameter called `field`; gives
   * what stands for it.
   */
  add(schema: object, name: string, field = name): () => object {
    const plain = plainOf(schema as Json);
    this.#collect(plain, { within: "", path: name, field });
    return () => this.#shown(plain);
  }

  /** Every shape by its name, in the order of names. */
  components(): Readonly<Record<string, object>> {
    for (const key of this.#shapes.keys()) this.#nameOf(key);
    const named = [...this.#shapes].map(([key, { schema }]) =>
      [this.#nameOf(key), this.#inner(schema)] as const
    );
    return Object.fromEntries(named.toSorted(([a], [b]) => a < b ? -1 : 1));
  }

  #collect(schema: Json, place: Place): void {
    const key = keyOf(schema);
    let { within, path } = place;
    if (key !== undefined) {
      const known = this.#shapes.get(key);
      const shape = known ?? { schema, titles: new Set(), places: [] };
      if (!known) this.#shapes.set(key, shape);
      if (typeof schema.title === "string") shape.titles.add(pascal(schema.title));
      shape.places.push(place);
      if (known) return;
      [within, path] = [key, ""];
    }
    for (const { inner, name, isItem } of partsOf(schema)) {
      const field = isItem ? singular(place.field) : pascal(name) || place.field;
      this.#collect(inner, { within, path: isItem ? singular(path) : path + pascal(name), field });
    }
  }

  #nameOf(key: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const { titles, places, schema } = this.#shapes.get(key)!;
    assert(titles.size <= 1, `a shape has the titles ${[...titles].join(", ")}`);
    const own = schema.enum
      ? places.map(({ field }) => field).filter((it) => this.#is(it, key))
      : [];
    const full = places.map(({ within, path }) =>
      (within === "" ? "" : this.#nameOf(within)) + path
    );
    const name = [...titles, ...own.toSorted(byLength), ...full.toSorted(byLength)][0];
    const others = [...this.#names].filter(([, other]) => other === name);
    assert(others.length === 0, `two shapes are called ${name}: ${JSON.stringify(schema)}`);
    this.#names.set(key, name);
    return name;
  }

  /** Whether every list of words that a field of this name has is the same. */
  #is(field: string, key: string): boolean {
    return ![...this.#shapes].some(([other, { schema, places, titles }]) =>
      titles.has(field) ||
      (other !== key && schema.enum && places.some((place) => place.field === field))
    );
  }

  /** A schema with references in place of shapes. */
  #shown(schema: Json): object {
    const key = keyOf(schema);
    if (key === undefined) return this.#inner(schema);
    const $ref = `#/components/schemas/${this.#nameOf(key)}`;
    const { description, default: usual } = schema;
    return {
      $ref,
      ...(description === undefined ? {} : { description }),
      ...(usual === undefined ? {} : { default: usual }),
    };
  }

  #inner(schema: Json): Json {
    return mapParts(schema, (inner) => this.#shown(inner));
  }
}

/** What tells a shape; undefined of a schema that needs no name. */
function keyOf(schema: Json): string | undefined {
  const { properties, enum: words } = schema;
  const isObject = properties !== undefined && Object.keys(Object(properties)).length > 0;
  if (!isObject && !(Array.isArray(words) && words.length > 1)) return undefined;
  return JSON.stringify(sorted(Object.fromEntries(
    Object.entries(schema).filter(([name]) => !notes.has(name)),
  )));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const)
      .toSorted(([a], [b]) => a < b ? -1 : 1),
  );
}

type Part = { readonly inner: Json; readonly name: string; readonly isItem: boolean };

/** The schemas in a schema, each with the name of its field. */
function partsOf(schema: Json): readonly Part[] {
  const parts: Part[] = [];
  mapParts(schema, (inner, name, isItem) => {
    parts.push({ inner, name, isItem });
    return inner;
  });
  return parts;
}

/** A schema whose inner schemas are what `change` makes of them. */
function mapParts(
  schema: Json,
  change: (inner: Json, name: string, isItem: boolean) => object,
): Json {
  const changed = ([word, value]: [string, unknown]) => {
    if (word === "properties") {
      const fields = Object.entries(Object(value));
      return [
        word,
        Object.fromEntries(fields.map(([it, of]) => [it, change(of as Json, it, false)])),
      ];
    }
    if (word === "items" || (word === "additionalProperties" && typeof value === "object")) {
      return [word, change(value as Json, "", true)];
    }
    if (word !== "anyOf" && word !== "oneOf") return [word, value];
    const ways = value as Json[];
    const isChoice = ways.filter((way) => way.properties !== undefined).length > 1;
    return [word, ways.map((way) => change(way, isChoice ? kindOf(way) : "", false))];
  };
  return Object.fromEntries(Object.entries(schema).map(changed));
}

function byLength(a: string, b: string): number {
  return a.length - b.length;
}

/** What tells one of several objects from others: the word of a fixed field, or what it needs. */
function kindOf({ properties, required }: Json): string {
  const fields = Object.values(Object(properties)) as Json[];
  const word = fields.find((field) => typeof field.const === "string")?.const;
  return String(word ?? [required].flat()[0] ?? "");
}

/** `Entry` of `Entries`. */
function singular(name: string): string {
  return name.replace(/ies$/, "y").replace(/(?<![su])s$/, "");
}

/** A schema without what generators can't read, whose meaning is the same. */
function plainOf(whole: Json): Json {
  const { $schema: _, propertyNames: _names, default: usual, items, prefixItems, ...others } =
    joinNull(whole);
  const listed = items === undefined ? {} : { items };
  if (Array.isArray(prefixItems) && items === false) {
    const { length, 0: first } = prefixItems;
    const by_type = Map.groupBy(prefixItems as Json[], ({ type }) => type);
    const forms = by_type.values().map(([form]) => form).toArray();
    const each = forms.length === 1 ? first : { anyOf: forms };
    return plainOf({ ...others, items: each, minItems: length, maxItems: length });
  }
  if (usual instanceof Object && !Array.isArray(usual)) {
    return plainOf({ ...others, ...listed, examples: [usual] });
  }
  const kept = usual === undefined ? {} : { default: usual };
  return mapParts(splitNull({ ...others, ...listed, ...kept }), plainOf);
}

/** `anyOf` of a plain type and null as one type of both. */
function joinNull(schema: Json): Json {
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [one, none] = anyOf as Json[];
  const isPlain = none.type === "null" && typeof one.type === "string" && keyOf(one) === undefined;
  return isPlain ? { ...one, ...others, type: [one.type, "null"] } : schema;
}

/** A shape that may be null as one of two: the shape, so that it has a name, or null. */
function splitNull(schema: Json): Json {
  const { type, description, default: usual, ...others } = schema;
  const words = schema.enum;
  const isNullable = Array.isArray(words) ? words.includes(null) : [type].flat().includes("null");
  if (!isNullable || keyOf(schema) === undefined) return schema;
  const types = [type].flat().filter((it) => it !== "null" && it !== undefined);
  const own = {
    ...others,
    ...(types.length > 0 ? { type: types.length === 1 ? types[0] : types } : {}),
    ...(Array.isArray(words) ? { enum: words.filter((it) => it !== null) } : {}),
  };
  return {
    ...(description === undefined ? {} : { description }),
    ...(usual === undefined ? {} : { default: usual }),
    anyOf: [own, { type: "null" }],
  };
}

/** `AlarmReport` of `alarm_report`. */
export function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
