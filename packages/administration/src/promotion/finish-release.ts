import { setTimeout as pause } from "node:timers/promises";
import { END_STATES, waitsForKey } from "@sealhouse/promotion";
import type { Promotion, StoredRelease } from "@sealhouse/promotion";
import type { Asked } from "../action.ts";
import { absent, RefusedActionError } from "../refusal.ts";
import { shown } from "../shown.ts";
import type { ReleaseRun } from "./release-schemas.ts";

/** A release that has not ended by then continues in the background. */
const WAIT_MAX_MS = 60 * 60_000;
const LOOK_EVERY_MS = 500;

type Waiting = Pick<Asked<unknown>, "signal" | "report">;

/**
 * Runs a release, and waits at most an hour for its end. A stop, or a failure of the database, ends
 * the waiting and not the release.
 *
 * @throws RefusedActionError when the release no longer exists
 */
export async function finishRelease(
  promotion: Pick<Promotion, "run" | "releases">,
  { id, isWaiting }: { readonly id: string; readonly isWaiting: boolean },
  waiting: Waiting,
): Promise<ReleaseRun> {
  const { signal, report } = waiting;
  try {
    const release = await waitForEnd(promotion, { id, isWaiting }, waiting);
    if (END_STATES.has(release.state)) return { release: shown(release) };
    report?.(continuesText(id));
    return { release: shown(release), continues: id };
  } catch (error) {
    if (error instanceof RefusedActionError) throw error;
    if (!signal.aborted) report?.(error instanceof Error ? error.message : String(error));
    report?.(continuesText(id));
    return { continues: id };
  }
}

async function waitForEnd(
  promotion: Pick<Promotion, "run" | "releases">,
  { id, isWaiting }: { readonly id: string; readonly isWaiting: boolean },
  { signal, report }: Waiting,
): Promise<StoredRelease> {
  const deadline = performance.now() + WAIT_MAX_MS;
  let reason: string | undefined;
  for (;;) {
    await promotion.run(id, signal);
    const release = await promotion.releases.find(id);
    if (!release) throw absent(`The release ${id} no longer exists.`);
    const isAtWait = !isWaiting || waitsForKey(release) || performance.now() > deadline;
    if (END_STATES.has(release.state) || isAtWait) return release;
    if (release.reason !== undefined && release.reason !== reason) {
      ({ reason } = release);
      report?.(`waiting: ${reason}`);
    }
    await pause(waitMs(release), undefined, { signal });
  }
}

function waitMs({ nextAt }: StoredRelease): number {
  const ms = (nextAt?.getTime() ?? 0) - Date.now();
  return Math.max(LOOK_EVERY_MS, Math.min(ms, 5 * LOOK_EVERY_MS));
}

function continuesText(id: string): string {
  return `The release continues in the background: sealhouse release show ${id}`;
}
