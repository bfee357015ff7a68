// Calls to other servers, for the clients of the protocols: an entry of its own, as a host that only
// serves needs none of it.
export { CallError, shownUrl } from "./call-error.ts";
export type { CallErrorCode, CallErrorDetail, CallFailure } from "./call-error.ts";
export { createExchange } from "./exchange.ts";
export type { Answer, Exchange, ExchangeOptions, Fetch, Outgoing } from "./exchange.ts";
export { isPassingStatus, PassingError, retryAfterMs, unreachable, withRetries } from "./retry.ts";
export type { RetryOptions } from "./retry.ts";
