// Client of Wattkeeper: signals, performance, availability, alarms and work of solar plants.
export type { components } from "./api.ts";
export {
  type Act,
  type Asked,
  type Buckets,
  type Feed,
  type Options,
  type Page,
  type PerformanceAsk,
  type SignalAsk,
  type Tables,
  Wattkeeper,
  type Where,
} from "./client.ts";
export {
  ConnectionFailed,
  type IngestResult,
  RejectedRows,
  ServiceError,
  WattkeeperError,
} from "./errors.ts";
export type { Retry, Value } from "./request.ts";
