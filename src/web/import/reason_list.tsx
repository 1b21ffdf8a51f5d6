// Why rows were rejected, how many, and where the first of them stand.
import { numberText } from "../frame/number.ts";
import { Listing } from "../parts/listing.tsx";
import { say } from "./say.ts";
import type { Reason } from "./store.ts";

/** The reasons. */
export function ReasonList({ reasons }: { readonly reasons: readonly Reason[] }) {
  const columns = [
    { name: say().reason },
    { name: say().count, is_number: true },
    { name: say().where },
  ];
  const rows = reasons.map(({ reason, count, first }) => ({
    key: reason,
    cells: [
      <Told text={reason} />,
      numberText(count),
      first.map(({ line, tag }) => [say().line(String(line)), tag ?? ""].join(" ").trim())
        .join(", "),
    ],
  }));
  return (
    <>
      <h3>{say().why_rejected}</h3>
      <Listing label={say().why_rejected} columns={columns} rows={rows} />
    </>
  );
}

/** What the service tells; names of settings stand between backticks in it. */
export function Told({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, i) => i % 2 === 1 ? <code>{part}</code> : part)}</>;
}
