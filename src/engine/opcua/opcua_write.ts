// Writes a value to a node of an OPC UA server, by the type that the node has, and reads it back.
import { qualityOf } from "../../model/samples/sample.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import type { OpcuaPoint } from "../../model/sources/kinds/opcua.ts";
import { writeRefusal } from "../../model/sources/opcua_words.ts";
import {
  numberType,
  serverSample,
  type ServerValue,
  type WrittenValue,
  writtenValue,
} from "../../wire/sources/opcua.ts";
import { carryOut, CommandStop, type PointWay, unsent } from "../devices/command.ts";
import { type SetpointCommand, SourceFault, type SourceTools } from "../devices/driver.ts";
import type { OpcuaSession } from "./opcua_session.ts";

/** A point, and its node at this server; undefined where it has none. */
export type WrittenPoint = { readonly entry: OpcuaPoint; readonly node: string | undefined };

/** What a node has, and of which type its values are. */
type Held = { readonly value: ServerValue; readonly type: number | string };

type Session = Pick<OpcuaSession, "read" | "write">;

/** Statuses after which a value may have been written all the same. */
const unsure: ReadonlySet<string> = new Set([
  ...["BadTimeout", "BadRequestTimeout", "BadCommunicationError", "BadWaitingForResponse"],
  ...["BadUnexpectedError", "BadInternalError", "BadUnknownResponse"],
]);

/** Sends a value to a point. */
export async function write(
  { entry, node }: WrittenPoint,
  command: SetpointCommand,
  { session, ...parts }: Pick<SourceTools, "effects"> & {
    readonly session: Session;
    readonly signal: AbortSignal;
  },
): Promise<CommandEnd> {
  if (node === undefined) return unsent(`the server has no node ${entry.node}`);
  return await carryOut(wayTo({ entry, node }, session), command, parts);
}

function wayTo(
  { entry, node }: { readonly entry: OpcuaPoint; readonly node: string },
  session: Session,
): PointWay<Held, WrittenValue> {
  return {
    async read() {
      const [value] = await session.read([node], "value");
      const [{ value: type }] = await session.read([node], "data_type");
      return { value, type: numberType(`${type?.value ?? ""}`, value.value) };
    },
    valueOf: ({ value }) => isGood(value) ? numberOf(value, entry) : null,
    messageOf(value, { type }) {
      if (typeof type === "string") return { flaw: `${entry.node} can't be written: ${type}` };
      return writtenValue(value, { ...entry, type }) ??
        { flaw: `${entry.node} can't hold ${value}` };
    },
    async write(value) {
      const status = await session.write(node, value);
      // The server does not know itself whether the device behind it has it.
      if (unsure.has(status)) throw new Error(`the server says ${status} of ${entry.node}`);
      if (status.startsWith("Bad")) {
        throw new CommandStop("refused", writeRefusal(entry.node, status));
      }
    },
    has({ value }, { raw }) {
      if (!isGood(value)) throw new Error(`the server has no good value of ${entry.node}`);
      return numberOf(value, { scale: 1, offset: 0 }) === raw;
    },
    isEnd: (error) => error instanceof SourceFault && error.kind === "refused",
  };
}

/** An uncertain one may be what the device had when it was heard last. */
function isGood({ statusCode }: ServerValue): boolean {
  return qualityOf(statusCode.value) === 0;
}

/** The number that a value is; null where it is none. */
function numberOf(value: ServerValue, target: Pick<OpcuaPoint, "scale" | "offset">): number | null {
  const { sample } = serverSample(value, { ...target, now_us: 0 });
  return sample.value === undefined || typeof sample.value === "string"
    ? null
    : Number(sample.value);
}
