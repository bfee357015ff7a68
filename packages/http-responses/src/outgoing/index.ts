// Calls to other servers, for the protocol clients. A separate entry point, so that hosts that only
// serve do not load it.
export { CallError, isCallError, shownUrl } from "./call-error.ts";
export type { CallErrorCode, CallErrorDetail, CallFailure } from "./call-error.ts";
export {
  addressRefusalOf,
  checkedLookup,
  checkHost,
  MetadataAddressError,
  PrivateAddressError,
} from "./checked-lookup.ts";
export type { AddressPermission, AddressRefusal } from "./checked-lookup.ts";
export { checkAddress, checkReachable } from "./reachability.ts";
export type { Reachability } from "./reachability.ts";
export { createAnswerReader, mapRevised } from "./answer-reader.ts";
export type { AnswerReader, CallOptions, ReaderOptions, Revised } from "./answer-reader.ts";
export { checkClientAddress, clientOptions } from "./client-options.ts";
export type { ClientOptions } from "./client-options.ts";
export type { Received } from "./collect.ts";
export { collect } from "./collect.ts";
export { openDownload } from "./download.ts";
export type { Download } from "./download.ts";
export { createExchange } from "./exchange.ts";
export type { Answer, Exchange, ExchangeOptions, Fetch } from "./exchange.ts";
export type { Outgoing } from "./outgoing-request.ts";
export { foundAnswer } from "./found-answer.ts";
export { allEnded, createLimit, runTogether } from "./limit.ts";
export type { Limit } from "./limit.ts";
export { addressKind, hostKind } from "./network-addresses.ts";
export type { AddressKind } from "./network-addresses.ts";
export { parseJson } from "./parse-json.ts";
export { reasonIn, refusalOf, shortReason } from "./refusal.ts";
export type { Refusal } from "./refusal.ts";
export {
  isPassingStatus,
  retryAfterMs,
  TransientError,
  unreachable,
  withRetries,
} from "./retry.ts";
export type { Patience, RetryOptions } from "./retry.ts";
