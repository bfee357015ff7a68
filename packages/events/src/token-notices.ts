import { runLeased } from "@sealhouse/jobs";
import type { Job, Leases } from "@sealhouse/jobs";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Days before the expiry; 0 is the expiry. */
const NOTICE_DAYS = [0, 3, 7] as const;
const FIRST_NOTICE_MS = 7 * DAY_MS;
/** Milliseconds after the expiry in which a missed notice is still given. */
const LATE_MS = 7 * DAY_MS;

/** A token that expires soon, or has expired recently. */
export type ExpiringToken = {
  readonly id: string;
  readonly name: string;
  /** Name of the owner; undefined when the token's own name is the owner. */
  readonly owner?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Days of the last notice. */
  readonly noticedDays?: number;
};

/** Notices about the expiry of tokens. */
export interface TokenNotices {
  /**
   * Lists tokens that expire between two times and still need a notice. Leaves out revoked tokens,
   * tokens with a valid replacement, and those of publish policies.
   */
  expiring(window: {
    readonly since: Date;
    readonly until: Date;
  }): Promise<readonly ExpiringToken[]>;
  /**
   * Records a notice and writes the event `token.expires`. False when another instance was faster,
   * or when the token was revoked or has another expiry; nothing changed then.
   */
  notice(token: ExpiringToken, days: number): Promise<boolean>;
}

/**
 * Writes an event 7 and 3 days before a token expires, and when it has expired, each once over all
 * instances. Tokens with a shorter life get fewer.
 */
export function tokenNoticesJob(parts: {
  readonly notices: TokenNotices;
  readonly leases: Leases;
  readonly now: () => Date;
}): Job {
  const { notices, leases, now } = parts;
  const run = async (signal: AbortSignal) => {
    await runLeased(leases, { name: "token notices", signal }, async (leaseSignal) => {
      const time = now();
      const window = {
        since: new Date(time.getTime() - LATE_MS),
        until: new Date(time.getTime() + FIRST_NOTICE_MS),
      };
      for (const token of await notices.expiring(window)) {
        if (leaseSignal.aborted) return;
        const days = dueNotice(token, time);
        if (days !== undefined) await notices.notice(token, days);
      }
    });
  };
  return { name: "token notices", firstAfterMs: 60_000, everyMs: HOUR_MS, run };
}

/** The notice that is due now, in days; later ones replace those that were missed. */
export function dueNotice(token: ExpiringToken, now: Date): number | undefined {
  const { createdAt, expiresAt, noticedDays = Number.POSITIVE_INFINITY } = token;
  const leftMs = expiresAt.getTime() - now.getTime();
  const lifeMs = expiresAt.getTime() - createdAt.getTime();
  // A token of hours belongs to a build, which needs no notice of its end.
  const days = NOTICE_DAYS.find(
    (notice) => leftMs <= notice * DAY_MS && lifeMs > Math.max(notice, 1) * DAY_MS,
  );
  return days !== undefined && days < noticedDays ? days : undefined;
}
