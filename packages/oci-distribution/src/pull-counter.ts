import { BoundedCache } from "@sealhouse/bounded-cache";
import type { Caller } from "@sealhouse/request-types";
import type { RepositoryName } from "./repository-name.ts";

/** A read of a manifest. `asker` identifies the caller as far as possible. */
export type ManifestRead = {
  readonly asker: string;
  readonly repository: RepositoryName;
  readonly by: "tag" | "digest";
  readonly method: "GET" | "HEAD";
};

/** Returns true if the read starts a pull. */
export type PullCounter = (read: ManifestRead) => boolean;

type CallersRead = Omit<ManifestRead, "asker"> & {
  readonly caller: Caller;
  readonly digest: string;
};

/** Returns true if a request starts a pull. A conditional request (`If-None-Match`) does not. */
export function isPullFor(
  startsPull: PullCounter,
  { caller: { tokenId, actor, address }, digest, ...read }: CallersRead,
  ifNoneMatch: string | undefined,
): boolean {
  if (ifNoneMatch?.includes(digest)) return false;
  return startsPull({ ...read, asker: `${tokenId ?? actor} ${address ?? ""}` });
}

const WINDOW_MS = 3 * 60 * 1000;
const MEMORY_MAX = 10_000;

/**
 * Creates a counter that decides which manifest reads start a pull. A GET by tag does. A GET by
 * digest does unless this caller began a pull from this repository within three minutes (then it
 * reads a child of an index). A HEAD by tag ends that time, because docker and containerd begin
 * each pull with one. The result is an estimate from a small cache. `now` is in milliseconds.
 */
export function createPullCounter(now: () => number): PullCounter {
  const age = { maxMs: WINDOW_MS, now };
  const begun = new BoundedCache<string, true>({ entries: MEMORY_MAX, age });
  return ({ asker, repository, by, method }) => {
    const key = `${repository} ${asker}`;
    if (method === "HEAD") {
      if (by === "tag") begun.delete(key);
      return false;
    }
    const starts = by === "tag" || !begun.has(key);
    if (starts) begun.set(key, true);
    return starts;
  };
}
