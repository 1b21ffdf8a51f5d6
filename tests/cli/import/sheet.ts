// A spreadsheet as bytes, for imports to read.
import { zipSync } from "fflate";
import { utf8 } from "../../../src/base/bytes.ts";

/** A workbook of one sheet. */
export function sheetOf(rows: readonly (readonly (string | number)[])[]): Uint8Array {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const cell = (value: string | number, row: number, column: number) => {
    const at = `${String.fromCharCode(65 + column)}${row + 1}`;
    return typeof value === "number"
      ? `<c r="${at}"><v>${value}</v></c>`
      : `<c r="${at}" t="inlineStr"><is><t>${escaped(value)}</t></is></c>`;
  };
  const data = rows.map((cells, row) =>
    `<row r="${row + 1}">${cells.map((it, column) => cell(it, row, column)).join("")}</row>`
  );
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packages = "http://schemas.openxmlformats.org/package/2006";
  const parts: Record<string, string> = {
    "[Content_Types].xml": `<Types xmlns="${packages}/content-types"/>`,
    "_rels/.rels": `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" ` +
      `Type="${relation}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relation}"><sheets>` +
      '<sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${packages}/relationships">` +
      `<Relationship Id="r1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/>` +
      "</Relationships>",
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${main}"><sheetData>${
      data.join("")
    }</sheetData></worksheet>`,
  };
  const files = Object.entries(parts).map(([name, text]) => [name, utf8(text)]);
  return zipSync(Object.fromEntries(files));
}
