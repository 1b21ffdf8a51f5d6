// The page that explains availability and losses, with the tables of states, evidence and losses.
import { type State, states } from "../../model/availability/availability.ts";
import { loss_columns } from "../../model/availability/loss.ts";
import { evidence_docs, state_docs } from "../../model/availability/availability.ts";
import { documentPage } from "../page/document.ts";
import { code, row, table, wordRows } from "../page/html.ts";
import text from "./availability.md" with { type: "text" };

/** The states of inverters, the evidence for them, and the columns of the loss account. */
export function availabilityPage(): Promise<string> {
  const named = Object.keys(states) as State[];
  const energies = loss_columns.filter(({ unit }) => unit === "Wh");
  return documentPage(text, {
    states: table(
      ["state", "counts as", ""],
      named.map((name) => row([code(name), counted(name), state_docs[name]])),
    ),
    evidence: table(["evidence", ""], wordRows(evidence_docs)),
    losses: table(["column", ""], energies.map(({ name, doc }) => row([code(name), doc]))),
  });
}

function counted(state: State): string {
  if (states[state] === null) return "neither";
  return states[state] ? "unavailable" : "available";
}
