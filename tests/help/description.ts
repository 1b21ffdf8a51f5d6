// What the API description promises of an answer: its status is told, and its JSON has the shape.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe } from "../../src/http/openapi/openapi.ts";
import type { Route } from "../../src/http/frame/route.ts";

type Operation = {
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
};
type Answer = { readonly content?: Readonly<Record<string, { readonly schema: object }>> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};

/** What is promised of one route's answers. */
type Promised = ReturnType<typeof promisedOf>;

/** Checks answers of some routes against their description, of each route at its first answer. */
export class Description {
  readonly #places: readonly { readonly pattern: RegExp; readonly route: Route }[];
  readonly #made = new Map<Route, Promised>();

  constructor(routes: readonly Route[]) {
    this.#places = routes.map((route) => ({ route, pattern: patternOf(route.path) }))
      .toSorted((a, b) => holesOf(a.route) - holesOf(b.route));
  }

  /**
   * The answer, whose status must be described; once it is read as text or JSON, it must be of the
   * shape that is described too. Throws what is wrong.
   */
  checked({ method, url }: Request, response: Response): Response {
    const promised = this.#find(method, url);
    if (promised === undefined || response.status === 405) return response;
    const where = `${method} ${url}: ${response.status}`;
    const answer = promised.responses[String(response.status)];
    if (answer === undefined) throw new Error(`${where} is not described`);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const validate = promised.validatorOf(answer, type);
    // Rows of some columns alone, and tables in other forms, are not whole.
    if (validate === undefined || /[?&](columns|format)=/.test(url)) return response;
    const text = response.text.bind(response);
    const read = async () => {
      const said = await text();
      if (said !== "" && !validate(JSON.parse(said))) {
        throw new Error(`${where}: ${JSON.stringify(validate.errors)}: ${said.slice(0, 400)}`);
      }
      return said;
    };
    return Object.assign(response, { text: read, json: async () => JSON.parse(await read()) });
  }

  #find(method: string, url: string): Promised | undefined {
    const { pathname } = new URL(url);
    // The first path that fits counts, whether it has the method or not.
    const path = this.#places.find(({ pattern }) => pattern.test(pathname))?.route.path;
    const route = this.#places.map(({ route }) => route)
      .find((route) => route.path === path && route.method === method);
    if (route === undefined) return undefined;
    const made = this.#made.get(route) ?? promisedOf(route);
    this.#made.set(route, made);
    return made;
  }
}

function patternOf(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function holesOf({ path }: Route): number {
  return path.split("{").length;
}

/** Describes one route alone, which is what takes no time: a test asks few of them. */
function promisedOf(route: Route) {
  const { paths, components } = describe([route], { version: "test", forms: "all" }) as Document;
  const { responses } = paths[route.path][route.method.toLowerCase()];
  // That schemas are well-formed is the matter of the reference's test.
  const unchecked = { meta: false, validateSchema: false };
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ...unchecked });
  ajv.addSchema({ $id: "all", components });
  const validators = new Map<object, ValidateFunction>();
  return {
    responses,
    validatorOf(answer: Operation["responses"][string], type: string) {
      const { content } = "$ref" in answer
        ? components.responses[answer.$ref.split("/").at(-1)!]
        : answer;
      const schema = content?.[type]?.schema;
      if (schema === undefined || !/[+/]json$/.test(type)) return undefined;
      const known = validators.get(schema);
      if (known) return known;
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"all#/'));
      const made = ajv.compile(own);
      validators.set(schema, made);
      return made;
    },
  };
}
