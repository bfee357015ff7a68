import { addressRefusalOf, checkedLookup, checkHost } from "./checked-lookup.ts";
import type { AddressPermission } from "./checked-lookup.ts";
import type { Fetch } from "./exchange.ts";

/** Whether a server can be called, before it is stored in the configuration. */
export type Reachability =
  | { readonly status: "reachable" }
  /** The host must not call it. An option allows it where `isPrivate` is true. */
  | { readonly status: "refused"; readonly reason: string; readonly isPrivate: boolean }
  /** It did not answer; later calls may succeed. */
  | { readonly status: "unreachable"; readonly reason: string };

/** A person waits for the answer. */
const ANSWER_MAX_MS = 3_000;

/** Calls a server once, without credentials. Every answer counts, errors too. */
export function checkReachable(url: URL, fetch: Fetch, signal: AbortSignal): Promise<Reachability> {
  return reachability(signal, async () => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MAX_MS)]);
    const answer = await fetch(url, { method: "HEAD", signal: limited });
    await answer.body?.cancel();
  });
}

/** Looks up the addresses of a server, without a call to it. */
export function checkAddress(
  url: URL,
  permission: AddressPermission,
  signal: AbortSignal,
): Promise<Reachability> {
  return reachability(signal, async () => {
    checkHost(url, permission);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const host = url.hostname.replace(/^\[|\]$/g, "");
    checkedLookup(permission)(host, {}, (error) => (error ? reject(error) : resolve()));
    await promise;
  });
}

async function reachability(signal: AbortSignal, call: () => Promise<void>): Promise<Reachability> {
  try {
    await call();
    return { status: "reachable" };
  } catch (error) {
    signal.throwIfAborted();
    const refusal = addressRefusalOf(error);
    if (refusal) {
      const isPrivate = refusal.code === "private-address";
      return { status: "refused", reason: refusal.reason, isPrivate };
    }
    return { status: "unreachable", reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${ANSWER_MAX_MS / 1000} s`;
  return error.message;
}
