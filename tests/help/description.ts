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

/** Checks answers of some routes against their description, which is made at the first. */
export class Description {
  readonly #routes: () => readonly Route[];
  #made: ReturnType<typeof readDocument> | undefined;

  constructor(routes: () => readonly Route[]) {
    this.#routes = routes;
  }

  /**
   * The answer, whose status must be described; once it is read as text or JSON, it must be of the
   * shape that is described too. Throws what is wrong.
   */
  checked(request: Request, response: Response): Response {
    this.#made ??= readDocument(this.#routes());
    const operation = this.#made.find(request);
    if (operation === undefined || response.status === 405) {
      return response;
    }
    const where = `${request.method} ${request.url}: ${response.status}`;
    const answer = operation.responses[String(response.status)];
    if (answer === undefined) throw new Error(`${where} is not described`);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const validate = this.#made.validatorOf(answer, type);
    // Rows of some columns alone, and tables in other forms, are not whole.
    if (validate === undefined || /[?&](columns|format)=/.test(request.url)) return response;
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
}

function readDocument(routes: readonly Route[]) {
  const document = describe(routes, { version: "test", forms: "all" }) as Document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "all", components: document.components });
  const validators = new Map<object, ValidateFunction>();
  const places = Object.entries(document.paths).map(([path, methods]) => (
    { methods, pattern: new URLPattern({ pathname: path.replaceAll(/\{(\w+)\}/g, ":$1") }), path }
  )).toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
  return {
    find({ method, url }: Request): Operation | undefined {
      return places.find(({ pattern }) => pattern.test(url))?.methods[method.toLowerCase()];
    },
    validatorOf(answer: Operation["responses"][string], type: string) {
      const { content } = "$ref" in answer
        ? document.components.responses[answer.$ref.split("/").at(-1)!]
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
