import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { Fetch } from "@sealhouse/http-responses/outgoing";

/**
 * Recognizes calls that began at this registry, so that registries which mirror each other do not
 * call each other in a circle. Each call names the registries before it in `Via` (RFC 9110, section
 * 7.6.3).
 */
export type OwnCalls = {
  /** Adds the `Via` of the running request, and this registry, to a call. */
  mark(fetch: Fetch): Fetch;
  /** Whether a request comes from another registry of this kind. */
  isFromRegistry(via: string | null | undefined): via is string;
  /** Runs the answer to a request with this `Via`. */
  answer<T>(via: string, work: () => T): T;
  /** Whether the running request began at this registry: then no source is asked. */
  isOwn(): boolean;
};

const PREFIX = "sealhouse-";

/** `registryId` is the same on all instances. */
export function createOwnCalls(registryId: string): OwnCalls {
  const digest = createHash("sha256").update(registryId).digest("hex");
  const pseudonym = `${PREFIX}${digest.slice(0, 16)}`;
  const running = new AsyncLocalStorage<string>();
  return {
    mark: (fetch) => (url, init) => {
      const headers = new Headers(init.headers);
      const before = running.getStore();
      headers.set(
        "via",
        [...(before === undefined ? [] : [before]), `1.1 ${pseudonym}`].join(", "),
      );
      return fetch(url, { ...init, headers });
    },
    isFromRegistry: (via): via is string => via?.includes(PREFIX) === true,
    answer: (via, work) => running.run(via, work),
    isOwn: () => running.getStore()?.includes(pseudonym) === true,
  };
}
