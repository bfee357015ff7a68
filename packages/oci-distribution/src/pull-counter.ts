import type { Caller } from "@sealhouse/request-types";
import type { RepositoryName } from "./repository-name.ts";

/** Somebody asked for a manifest. `asker` tells callers apart, as well as may be. */
export type ManifestRead = {
  readonly asker: string;
  readonly repository: RepositoryName;
  readonly by: "tag" | "digest";
  readonly method: "GET" | "HEAD";
};

/** Says whether the read starts a pull. */
export type PullCounter = (read: ManifestRead) => boolean;

type CallersRead = Omit<ManifestRead, "asker"> & {
  readonly caller: Caller;
  readonly digest: string;
};

/** The same for a request. Whoever has it already (`If-None-Match`) only asks if it changed. */
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
 * Says which manifest reads start a pull: a GET by tag, and a GET by digest unless a pull of this
 * caller from this repository began within three minutes (the children of an index). A HEAD by
 * tag ends that time, because docker and containerd begin each pull with one. An estimate, kept
 * in a small memory of this process. `now` is in milliseconds.
 */
export function createPullCounter(now: () => number): PullCounter {
  const begun = new Map<string, number>();
  return ({ asker, repository, by, method }) => {
    const key = `${repository} ${asker}`;
    const at = begun.get(key);
    if (method === "HEAD") {
      if (by === "tag") begun.delete(key);
      return false;
    }
    const starts = by === "tag" || at === undefined || now() - at > WINDOW_MS;
    if (starts) remember(begun, key, now());
    return starts;
  };
}

function remember(begun: Map<string, number>, key: string, at: number): void {
  begun.delete(key);
  begun.set(key, at);
  if (begun.size <= MEMORY_MAX) return;
  // A Map keeps its order of insertion: the first key is the oldest.
  const [oldest] = begun.keys();
  if (oldest !== undefined) begun.delete(oldest);
}
