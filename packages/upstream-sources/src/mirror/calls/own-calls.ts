import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { Fetch } from "@sealhouse/http-responses/outgoing";

/**
 * Recognizes calls that began at this registry, so that registries which mirror each other do not
 * call each other in a circle. Each call names the registries before it in `Via` (RFC 9110, section
 * 7.6.3).
 *
 * A registry that finds itself in `Via` asks no source. Such an answer is right for that request
 * only: it names the registry in `x-sealhouse-left-out`, and each registry on the way back neither
 * stores it nor shares it. The registry that it names may do both, because it never asks itself.
 */
export type OwnCalls = {
  /** Adds the `Via` of the running request, and this registry, to a call. `onRegistry` gets the
   * registry that answers; undefined for a server of another kind. */
  mark(fetch: Fetch, onRegistry: (registry: string | undefined) => void): Fetch;
  /** Whether a request comes from another registry of this kind. */
  isFromRegistry(via: string | null | undefined): via is string;
  /** Runs the answer to a request with this `Via`. `headersOf` returns headers of the answer, once
   * its content is known. */
  answer<T>(via: string, work: (headersOf: HeadersOf) => T): T;
  /** Runs work that does not depend on the `Via` of the running request, such as the questions of a
   * publish. */
  outside<T>(work: () => T): T;
  /** Whether the running request began at this registry: then no source is asked. */
  isOwn(): boolean;
  /** The registries that the running request came through. */
  chain(): readonly string[];
  /** Notes that the running request asks fewer sources than that of everyone would. `registry`: the
   * one that is not asked, because it asks. Default: this registry, of which no source is asked. */
  leaveOut(registry?: string): void;
  /** Makes the running request read nothing that requests of others have stored or learnt: that may
   * come from the registry that asks. */
  separate(): void;
  /** Whether the running request may read what those of others have stored or learnt. */
  readsShared(): boolean;
  /** The registries that the running request came through: "" for the request of a client. Work
   * in progress is shared only between requests with the same. */
  audience(): string;
  /** Whether the running request has found all that everyone would find, so that its answer may be
   * stored and shared. */
  isForEveryone(): boolean;
  /** Runs work, and returns with its result the registries that its answers left out. The running
   * request joins them with `join`. */
  observe<T>(work: () => Promise<T>): Promise<Observed<T>>;
  join<T>(observed: Observed<T>): T;
};

/** Returns headers that replace those of an answer. Names are in lower case. */
export type HeadersOf = () => Readonly<Record<string, string>>;

/** A result, and the registries whose sources were not asked for it. */
export type Observed<T> = { readonly result: T; readonly leftOut: ReadonlySet<string> };

const PREFIX = "sealhouse-";
const PSEUDONYMS = /sealhouse-[0-9a-f]{16}\b/g;
const LEFT_OUT = "x-sealhouse-left-out";
/** Registries that a request may have come through. A longer way ends here. */
const REGISTRIES_MAX = 16;
const NOBODY: ReadonlySet<string> = new Set();

type Running = {
  readonly chain: readonly string[];
  readonly leftOut: Set<string>;
  isSeparate?: boolean;
};

/** `registryId` is the same on all instances. */
export function createOwnCalls(registryId: string): OwnCalls {
  const digest = createHash("sha256").update(registryId).digest("hex");
  const pseudonym = `${PREFIX}${digest.slice(0, 16)}`;
  const storage = new AsyncLocalStorage<Running>();
  const running = () => storage.getStore();
  const isOwn = () => {
    const chain = running()?.chain ?? [];
    return chain.includes(pseudonym) || chain.length >= REGISTRIES_MAX;
  };
  const note = (header: string | null) => {
    for (const registry of pseudonymsIn(header).slice(0, REGISTRIES_MAX)) {
      if (registry !== pseudonym) running()?.leftOut.add(registry);
    }
  };
  return {
    mark: (fetch, onRegistry) => async (url, init) => {
      const { chain } = running() ?? { chain: [] };
      const headers = new Headers(init.headers);
      headers.set("via", [...chain, pseudonym].map((registry) => `1.1 ${registry}`).join(", "));
      const response = await fetch(url, { ...init, headers });
      note(response.headers.get(LEFT_OUT));
      onRegistry(pseudonymsIn(response.headers.get("via")).at(-1));
      return response;
    },
    isFromRegistry: (via): via is string => via?.includes(PREFIX) === true,
    answer(via, work) {
      const leftOut = new Set<string>();
      const headersOf: HeadersOf = () => ({
        via: `1.1 ${pseudonym}`,
        ...(leftOut.size > 0 && headersFor(leftOut)),
      });
      return storage.run({ chain: pseudonymsIn(via), leftOut }, () => work(headersOf));
    },
    outside: (work) => storage.exit(work),
    isOwn,
    chain: () => running()?.chain ?? [],
    leaveOut: (registry = pseudonym) => void running()?.leftOut.add(registry),
    separate() {
      const request = running();
      if (request) request.isSeparate = true;
    },
    readsShared: () => !isOwn() && running()?.isSeparate !== true,
    audience: () => running()?.chain.toSorted().join(" ") ?? "",
    isForEveryone: () => !isOwn() && (running()?.leftOut.size ?? 0) === 0,
    async observe(work) {
      const { chain } = running() ?? { chain: [] };
      if (chain.length === 0) return { result: await work(), leftOut: NOBODY };
      const leftOut = new Set<string>();
      return { result: await storage.run({ chain, leftOut }, work), leftOut };
    },
    join({ result, leftOut }) {
      for (const registry of leftOut) running()?.leftOut.add(registry);
      return result;
    },
  };
}

/** Caches on the way, which do not know this header, must not store the answer either. */
function headersFor(leftOut: ReadonlySet<string>): Readonly<Record<string, string>> {
  return { [LEFT_OUT]: [...leftOut].toSorted().join(", "), "cache-control": "no-store" };
}

function pseudonymsIn(header: string | null): readonly string[] {
  return [...new Set(header?.match(PSEUDONYMS))];
}
