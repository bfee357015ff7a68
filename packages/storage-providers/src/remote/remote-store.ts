import type { ObjectInfo, ObjectKey, ObjectStore } from "../object-store.ts";
import type { KeyPrefix } from "./key-prefix.ts";
import type { BodyPosition, OpenBody } from "./resumed-body.ts";
import { resumedBody } from "./resumed-body.ts";
import type { CallLimits, ServiceCalls } from "./service-calls.ts";

/** Limits of a store in a service. */
export type RemoteLimits = CallLimits & {
  /** Milliseconds that one attempt to send a part may take. Default 120,000. */
  readonly uploadTimeoutMs?: number;
  /** Milliseconds without a byte after which a download counts as lost. Default 30,000. */
  readonly idleMs?: number;
};

/** Values that the operations of a store share. */
export type RemoteParts = {
  readonly names: KeyPrefix;
  readonly calls: ServiceCalls;
  readonly limits: RemoteLimits;
};

/** One page of a list of objects, by their names in the service. */
export type RemotePage = {
  readonly objects: Iterable<Omit<ObjectInfo, "key"> & { readonly name: string }>;
  /** Token of the next page; undefined or empty on the last one. */
  readonly next?: string | undefined;
};

/** Single requests to a service, by the names of objects. They reject with its own errors. */
export type RemoteRequests = {
  stat(name: string, signal: AbortSignal): Promise<Omit<ObjectInfo, "key">>;
  open(name: string, position: BodyPosition, signal: AbortSignal): Promise<OpenBody>;
  /** Lists the objects whose names begin with the prefix; `from` is the token of a page. */
  list(prefix: string, from: string | undefined, signal: AbortSignal): Promise<RemotePage>;
  delete(name: string, signal: AbortSignal): Promise<unknown>;
  /** Copies inside the service. It makes its calls itself. */
  copy(from: ObjectKey, to: ObjectKey): Promise<unknown>;
  /** Returns an address for reading. Absent where the credentials cannot sign. */
  presign?: ((name: string, expiresInMs: number) => Promise<string>) | undefined;
  /** Whether there is no such object. */
  readonly isMissing: (error: unknown) => boolean;
  /** Whether a range begins after the end of the object. */
  readonly isPastEnd: (error: unknown) => boolean;
};

/** Creates a store over the requests of a service, except for its writes. */
export function createRemoteStore(
  { names, calls, limits: { idleMs } }: RemoteParts,
  requests: RemoteRequests,
): Omit<ObjectStore, "write" | "unfinished"> {
  const { presign } = requests;
  const undefinedIf = (isExpected: (error: unknown) => boolean) => (error: unknown) => {
    if (isExpected(error)) return undefined;
    throw error;
  };
  const stat = (key: ObjectKey): Promise<ObjectInfo | undefined> =>
    calls.run({ action: `look up ${key}` }, (signal) =>
      requests
        .stat(names.nameOf(key), signal)
        .then((info) => ({ key, ...info }), undefinedIf(requests.isMissing)),
    );
  const bytes: ObjectStore["bytes"] = (key, range, { reuse } = {}) =>
    resumedBody(calls, {
      action: `read ${key}`,
      range,
      reuse,
      ...(idleMs !== undefined && { idleMs }),
      open: (position, signal) =>
        requests.open(names.nameOf(key), position, signal).catch(undefinedIf(requests.isPastEnd)),
    });
  const remove = async (key: ObjectKey): Promise<void> => {
    await calls.run({ action: `delete ${key}` }, (signal) =>
      requests.delete(names.nameOf(key), signal).catch(undefinedIf(requests.isMissing)),
    );
  };
  return {
    copiesOnMove: true,
    stat,
    bytes,
    async read(key, range) {
      const info = await stat(key);
      return info && { info, body: bytes(key, range) };
    },
    async move(from, to) {
      await requests.copy(from, to);
      await remove(from);
    },
    delete: remove,
    async *list(prefix) {
      const action = prefix === "" ? "list all objects" : `list ${prefix}`;
      let from: string | undefined;
      do {
        const page: RemotePage = await calls.run({ action }, (signal) =>
          requests.list(names.listed(prefix), from, signal),
        );
        for (const { name, ...info } of page.objects) {
          const key = names.keyOf(name);
          // Also excludes what a prefix matches only because a name differs from its key.
          if (key?.startsWith(prefix)) yield { key, ...info };
        }
        from = page.next;
      } while (from);
    },
    ...(presign && {
      presign: (key: ObjectKey, { expiresInMs }: { readonly expiresInMs: number }) =>
        calls.run({ action: `sign an address of ${key}` }, () =>
          presign(names.nameOf(key), expiresInMs),
        ),
    }),
    async [Symbol.asyncDispose]() {
      calls[Symbol.dispose]();
    },
  };
}
