import type { Job, Leases } from "@sealhouse/jobs";
import type { TargetRows } from "../target/ports.ts";
import type { ReleaseRows } from "./ports.ts";
import type { StoredRelease } from "../model/release.ts";

const EVERY_MS = 60_000;
const FIRST_AFTER_MS = 15_000;
/** Milliseconds after which an instance should have taken up a release that is due. */
const STALLED_AFTER_MS = 10 * 60_000;

/** Reasons why releases wait, for health reports. */
export type ReleaseWatch = {
  readonly job: Job;
  /** Sentences about failures by name; undefined: nothing failed. */
  readonly problems: () => Readonly<Record<"releases" | "targets", string | undefined>>;
};

/** Looks for stalled releases and paused targets each minute, because health is anonymous. */
export function watchReleases(parts: {
  readonly releases: Pick<ReleaseRows, "due" | "find">;
  readonly targets: Pick<TargetRows, "list">;
  readonly leases: Pick<Leases, "heldUntil">;
  readonly now: () => Date;
}): ReleaseWatch {
  const { releases, targets, leases, now } = parts;
  let stalled = 0;
  let paused = 0;
  const isStalled = async (id: string, since: Date) => {
    if (await leases.heldUntil(releaseLease(id))) return false;
    const release = await releases.find(id);
    return release !== undefined && dueSince(release) <= since;
  };
  const run = async (signal: AbortSignal) => {
    const since = new Date(now().getTime() - STALLED_AFTER_MS);
    let found = 0;
    for (const id of await releases.due(since)) {
      signal.throwIfAborted();
      if (await isStalled(id, since)) found += 1;
    }
    stalled = found;
    paused = (await targets.list()).filter(({ pausedAt }) => pausedAt).length;
  };
  return {
    job: { name: "watch of releases", firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS, run },
    problems: () => ({
      releases: sentence(stalled, "releases wait for over 10 minutes: sealhouse release list"),
      targets: sentence(paused, "targets are paused: sealhouse target list"),
    }),
  };
}

/** Name of the lease of the instance that works on a release. */
export function releaseLease(id: string): string {
  return `release/${id}`;
}

/** The last of what makes a release due: its opening, its continuation, the end of its wait. */
function dueSince({ createdAt, attemptsSince, nextAt = createdAt }: StoredRelease): Date {
  return [createdAt, attemptsSince, nextAt].reduce((last, time) => (time > last ? time : last));
}

function sentence(count: number, words: string): string | undefined {
  return count === 0 ? undefined : `${count} ${words}`;
}
