import type { Release, ReleaseItem } from "../model/release.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const FIRST_RETRY_MS = 5 * SECOND_MS;
const RETRY_MAX_MS = 10 * MINUTE_MS;
/** A target may ask for a longer wait. Nothing waits longer than a day for an attempt. */
const ASKED_MAX_MS = 24 * HOUR_MS;
/** Doubling longer than this passes the maximum anyway. */
const DOUBLINGS_MAX = 10;

/** Milliseconds until a paused target, or one without readable credentials, is looked at again. */
const BLOCKED_MS = 30 * SECOND_MS;
const BLOCKED_MAX_MS = 5 * MINUTE_MS;
/** Part of the age of a syndication that it waits for its target. */
const BLOCKED_SHARE = 1 / 20;

/** Milliseconds until a release looks again whether another one has ended. */
export const LANE_MS = 5 * SECOND_MS;

/** Milliseconds after which a version that a target accepted must be readable. */
export const READABLE_WITHIN_MS = HOUR_MS;

/** Further attempts to send a version that a target accepted and then does not have. */
export const LOST_SENDS_MAX = 2;
export const LOST_WAIT_MS = 30 * SECOND_MS;

const POLLS_MS = [5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];

/** Returns when the next attempt after a failure is due. `random` is from 0 to 1. */
export function retryAt(
  { attempts }: Pick<ReleaseItem, "attempts">,
  options: { readonly now: Date; readonly random: number; readonly retryAfterMs?: number },
): Date {
  const doubled = FIRST_RETRY_MS * 2 ** Math.min(attempts, DOUBLINGS_MAX);
  const jittered = Math.min(doubled, RETRY_MAX_MS) * (0.75 + options.random / 2);
  const askedMs = Math.min(options.retryAfterMs ?? 0, ASKED_MAX_MS);
  return new Date(options.now.getTime() + Math.max(jittered, askedMs));
}

/** Returns when a release looks again at a target to which nothing is sent. Thousands of uploads
 * may wait there for days, so those look less often. */
export function blockedUntil({ kind, createdAt }: Release, now: Date): Date {
  const share = kind === "syndication" ? (now.getTime() - createdAt.getTime()) * BLOCKED_SHARE : 0;
  const waitMs = Math.min(Math.max(BLOCKED_MS, share), BLOCKED_MAX_MS);
  return new Date(now.getTime() + waitMs);
}

/** Returns when a version that the target has accepted is to be looked for again. */
export function pollAt({ attempts }: Pick<ReleaseItem, "attempts">, now: Date): Date {
  const waitMs = POLLS_MS[Math.min(attempts, POLLS_MS.length - 1)] ?? MINUTE_MS;
  return new Date(now.getTime() + waitMs);
}

/**
 * Whether no further attempt is made: after an hour of a promotion that can still be undone, after
 * 24 hours of everything else.
 */
export function isOutOfPatience(
  { kind, state, pivotAt, attemptsSince }: Release,
  now: Date,
): boolean {
  const isShort = kind === "promotion" && !pivotAt && state !== "undoing";
  const patienceMs = isShort ? HOUR_MS : 24 * HOUR_MS;
  return now.getTime() - attemptsSince.getTime() > patienceMs;
}
