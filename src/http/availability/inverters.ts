// What the figures of inverters share: from here, from a shard's part, or put together of several.
import { type Account, inverterAnswer } from "../../engine/availability/answer.ts";
import {
  gatheredInverters,
  inverter_question,
  inverterPart,
} from "../../engine/availability/part.ts";
import type { Column } from "../../model/data/column.ts";
import { streamAnswer, type StreamContext } from "../frame/answer.ts";
import { askedPart, gatherOf, partResponse } from "../frame/part.ts";
import type { Services } from "../frame/services.ts";
import { inverterRequest, timezoneHeader } from "../performance/bucket_param.ts";
import { pendingHeader } from "../performance/pending.ts";

/** The answer to a request of inverters' days, by an account of them. */
export async function answerInverters(
  services: Services,
  context: StreamContext & { readonly values: Parameters<typeof inverterRequest>[1] },
  { account, columns }: { readonly account: Account; readonly columns: readonly Column[] },
): Promise<Response> {
  const { signal } = context;
  const question = askedPart(services, context.request, inverter_question);
  const request = { ...inverterRequest(services, context.values, question?.range), columns };
  if (question) {
    const part = await inverterPart(services, account, { request, question, signal });
    if (question.want !== "groups") return partResponse(part);
    return partResponse(part, await pendingHeader(services, { ...request, signal }));
  }
  const gather = gatherOf(services, context.request);
  const answer = gather
    ? await gatheredInverters(services, account, { request, gather, signal })
    : inverterAnswer(services, account, { request, signal });
  const pending = await pendingHeader(services, { ...request, gather, signal });
  return await streamAnswer(context, answer, { ...timezoneHeader(answer), ...pending });
}
