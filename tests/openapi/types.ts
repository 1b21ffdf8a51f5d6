// Writes the types of the client for TypeScript from the API description: the shapes, each by name.
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { testService } from "../help/service.ts";

/** The file that they are written to. */
export const types_path = new URL("../../clients/typescript/src/api.ts", import.meta.url);

/** The text of that file. */
export async function printTypes(): Promise<string> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const document: OpenAPI3 = await (await service.fetch("/openapi.json?forms=one")).json();
  await service.close();
  const { schemas } = document.components!;
  const { info, openapi } = document;
  const nodes = await openapiTS({ openapi, info, paths: {}, components: { schemas } }, {
    // What has a default may be left out.
    defaultNonNullable: false,
  });
  const [shapes] = astToString(nodes).split("export type $defs");
  return "// The shapes of requests and answers, written by `deno task client:types`.\n" +
    "// deno-lint-ignore-file\n" + shapes.slice(shapes.indexOf("export interface components"));
}

if (import.meta.main) {
  await Deno.writeTextFile(types_path, await printTypes());
  const { execPath } = Deno;
  await new Deno.Command(execPath(), { args: ["fmt", "--quiet", types_path.pathname] }).output();
}
