// What is done for the events of an OPC UA server: asking for those of conditions, and for all
// conditions that still matter.
import {
  AttributeIds,
  ContentFilter,
  ContentFilterElement,
  DataType,
  ElementOperand,
  EventFilter,
  FilterOperator,
  LiteralOperand,
  MonitoringMode,
  resolveNodeId,
  SimpleAttributeOperand,
  TimestampsToReturn,
  Variant,
} from "node-opcua-client";
import { source_limits } from "../../model/sources/limits.ts";
import { event_fields, event_types } from "../../wire/sources/opcua_event.ts";
import type { OpcuaWork, RawSession } from "./opcua_session.ts";

/** A subscription of a session. */
export type Subscribed = { readonly subscription_id: number; readonly work: OpcuaWork };

/**
 * Has the events of conditions below a node sent; gives the name of the status. A server that can't
 * choose among its events sends all of them.
 */
export async function watchConditions(
  session: RawSession,
  node: string,
  { subscription_id, work }: Subscribed,
): Promise<string> {
  const types = await conditionTypes(session, work);
  const create = async (whereClause: ContentFilter) => {
    const { results } = await work(session.createMonitoredItems({
      subscriptionId: subscription_id,
      timestampsToReturn: TimestampsToReturn.Neither,
      itemsToCreate: [{
        itemToMonitor: { nodeId: node, attributeId: AttributeIds.EventNotifier },
        monitoringMode: MonitoringMode.Reporting,
        requestedParameters: {
          ...{ clientHandle: 0, samplingInterval: 0, discardOldest: true },
          queueSize: source_limits.event_queue,
          filter: new EventFilter({
            selectClauses: Object.values(event_fields).map(field),
            whereClause,
          }),
        },
      }],
    }));
    return results?.[0]?.statusCode.name ?? "BadUnexpectedError";
  };
  const status = await create(anyOf(types));
  return /Filter|Operator|Operand/.test(status) ? await create(new ContentFilter()) : status;
}

/**
 * Asks for the events of all conditions that still matter; gives the name of the status. They come
 * between two events that say so.
 */
export async function refreshConditions(
  session: RawSession,
  { subscription_id, work }: Subscribed,
): Promise<string> {
  const { statusCode } = await work(session.call({
    objectId: event_types.condition,
    methodId: "i=3875",
    inputArguments: [new Variant({ dataType: DataType.UInt32, value: subscription_id })],
  }));
  return statusCode.name;
}

function field([type, ...path]: readonly string[]): SimpleAttributeOperand {
  return new SimpleAttributeOperand({
    typeDefinitionId: type,
    browsePath: path.map((name) => ({ namespaceIndex: 0, name })),
    attributeId: path.length === 0 ? AttributeIds.NodeId : AttributeIds.Value,
  });
}

/** The type of conditions and those that are derived of it: some servers compare them exactly. */
async function conditionTypes(session: RawSession, work: OpcuaWork): Promise<readonly string[]> {
  const found = new Set<string>([event_types.condition]);
  for (const type of found) {
    const { references } = await work(session.browse({
      ...{ nodeId: type, referenceTypeId: "i=45", includeSubtypes: true },
      ...{ browseDirection: 0, resultMask: 0 },
    }));
    for (const { nodeId } of references ?? []) found.add(nodeId.toString());
    if (found.size > source_limits.condition_types) return [event_types.condition];
  }
  return [...found];
}

/** Events of any of the types, and those by which a server speaks of its conditions. */
function anyOf(types: readonly string[]): ContentFilter {
  const { condition: _, ...own } = event_types;
  const wanted = [...types, ...Object.values(own)];
  // Each but the last is: of this type, or what follows.
  const elements = wanted.flatMap((type, i) => {
    const is_type = new ContentFilterElement({
      filterOperator: FilterOperator.OfType,
      filterOperands: [
        new LiteralOperand({
          value: new Variant({ dataType: DataType.NodeId, value: resolveNodeId(type) }),
        }),
      ],
    });
    if (i === wanted.length - 1) return [is_type];
    const either = new ContentFilterElement({
      filterOperator: FilterOperator.Or,
      filterOperands: [2 * i + 1, 2 * i + 2].map((index) => new ElementOperand({ index })),
    });
    return [either, is_type];
  });
  return new ContentFilter({ elements });
}
