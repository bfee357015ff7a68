import type { Job } from "@sealhouse/jobs";
import { queueMail } from "./queue-mail.ts";
import type { MailParts } from "./queue-mail.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Days before the end at which a mail is sent. */
const NOTICE_DAYS = [1, 7, 14] as const;

/** The part of a publish target that notices need. */
export type ExpiringTarget = { readonly name: string; readonly expiresAt?: Date };

/**
 * Queues a mail 14, 7 and 1 days before the credentials of a publish target expire, each once. Safe
 * on several instances, because the queue refuses repeats.
 */
export function targetExpiryJob(
  parts: MailParts & {
    readonly targets: { list(): Promise<readonly ExpiringTarget[]> };
    readonly now: () => Date;
  },
): Job {
  const run = async (signal: AbortSignal) => {
    for (const { name, expiresAt } of await parts.targets.list()) {
      if (signal.aborted) return;
      if (!expiresAt) continue;
      const days = dueTargetNotice(expiresAt, parts.now());
      if (days === undefined) continue;
      const facts = { Target: name, Expires: expiresAt.toISOString() };
      const cause = `${name.toLowerCase()} ${expiresAt.toISOString()} ${days} days`;
      await queueMail(parts, "target-token-expires", { cause, facts });
    }
  };
  return { name: "target expiry mails", firstAfterMs: 60_000, everyMs: HOUR_MS, run };
}

/** The notice that is due now, in days; later ones replace those that were missed. */
export function dueTargetNotice(expiresAt: Date, now: Date): number | undefined {
  const leftMs = expiresAt.getTime() - now.getTime();
  return leftMs <= 0 ? undefined : NOTICE_DAYS.find((days) => leftMs <= days * DAY_MS);
}
