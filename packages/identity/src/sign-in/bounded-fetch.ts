import type { FetchBody } from "openid-client";
import { readBounded } from "../id-tokens/read-bounded.ts";
import { isLoopback } from "./loopback.ts";

/** Seconds that a provider has for an answer. */
export const TIMEOUT_SECONDS = 10;

type BoundedInit = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: FetchBody;
  readonly signal?: AbortSignal | undefined;
};

/** `fetch` for identity providers: answers are small and never redirects. */
export type BoundedFetch = (address: string, init?: BoundedInit) => Promise<Response>;

/**
 * Limits answers to 256 KiB and 10 seconds. Redirects are not followed. Addresses without https are
 * refused unless they are on this machine.
 */
export function createBoundedFetch(fetch: typeof globalThis.fetch): BoundedFetch {
  return async (address, init = {}) => {
    const { protocol, hostname, host } = new URL(address);
    if (protocol !== "https:" && !isLoopback(hostname)) {
      throw new TypeError(`${host} must have an https address, because secrets are sent to it`);
    }
    const { signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000), body, ...rest } = init;
    return readBounded(fetch, address, {
      ...rest,
      // The type of `fetch` wants a view of unshared memory.
      ...(body && { body: body instanceof Uint8Array ? new Uint8Array(body) : body }),
      signal,
      redirect: "manual",
    });
  };
}
