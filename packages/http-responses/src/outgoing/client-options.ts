import { setTimeout as pause } from "node:timers/promises";
import type { Fetch } from "./exchange.ts";
import type { Patience, RetryOptions } from "./retry.ts";

/** Options of the clients of all protocols. */
export type ClientOptions = {
  /** Node's own holds all that it sends; for large uploads give one that waits for the network. */
  readonly fetch: Fetch;
  readonly userAgent?: string;
  /** Until a document is complete. Default 100 s. */
  readonly documentTimeoutMs?: number;
  /** Milliseconds without data after which a transfer is aborted. Default 60 s. */
  readonly idleTimeoutMs?: number;
  readonly now?: () => Date;
  /** Limits of the attempts of one read. */
  readonly patience?: Patience | undefined;
  /** Between two attempts. Rejects when the signal aborts. */
  readonly wait?: RetryOptions["wait"];
};

const DOCUMENT_TIMEOUT_MS = 100_000;
const IDLE_TIMEOUT_MS = 60_000;

/** Returns the options with their defaults. */
export function clientOptions({
  fetch,
  userAgent = "Sealhouse",
  documentTimeoutMs = DOCUMENT_TIMEOUT_MS,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
  now = () => new Date(),
  patience,
  wait = (ms, signal) => pause(ms, undefined, signal && { signal }),
}: ClientOptions) {
  return { fetch, userAgent, documentTimeoutMs, idleTimeoutMs, now, patience, wait };
}

/** @throws {TypeError} for an address with credentials in it, or that is not http or https */
export function checkClientAddress(
  { username, password, protocol }: URL,
  [one, many]: readonly [one: string, many: string],
): void {
  if (username !== "" || password !== "") {
    throw new TypeError(`Give credentials on their own, not in the address of a ${one}.`);
  }
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError(`${protocol} is not a protocol of ${many}.`);
  }
}
