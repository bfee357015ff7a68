import type { Job } from "@sealhouse/jobs";
import { queueMail } from "./mail-consumer.ts";
import type { MailParts } from "./mail-consumer.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Days before the end at which a mail is sent. */
const NOTICE_DAYS = [1, 7, 14] as const;

/** The part of a token that notices need. */
export type ExpiringToken = {
  readonly id: string;
  readonly name: string;
  readonly owner?: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
};

/**
 * Queues a mail 14, 7 and 1 days before a token expires, each once. Tokens that were made for less
 * than that get fewer. Safe on several instances, because the queue refuses repeats.
 */
export function tokenExpiryJob(
  parts: MailParts & {
    readonly tokens: { list(): Promise<readonly ExpiringToken[]> };
    readonly now: () => Date;
  },
): Job {
  const run = async (signal: AbortSignal) => {
    for (const token of await parts.tokens.list()) {
      if (signal.aborted) return;
      const days = dueNotice(token, parts.now());
      if (days === undefined || !token.expiresAt) continue;
      const { id, name, owner, expiresAt } = token;
      const facts = {
        Token: name,
        Id: id,
        ...(owner !== undefined && { Owner: owner }),
        Expires: expiresAt.toISOString(),
      };
      await queueMail(parts, "token-expires", { cause: `${id} ${days} days`, facts });
    }
  };
  return { name: "token expiry mails", firstAfterMs: 60_000, everyMs: HOUR_MS, run };
}

/** The part of a publish target that notices need. */
export type ExpiringTarget = { readonly name: string; readonly expiresAt?: Date };

/** The same for the credentials of publish targets. */
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
      // Their age is unknown: all notices are given.
      const days = dueNotice({ id: name, name, createdAt: new Date(0), expiresAt }, parts.now());
      if (days === undefined) continue;
      const facts = { Target: name, Expires: expiresAt.toISOString() };
      const cause = `${name.toLowerCase()} ${expiresAt.toISOString()} ${days} days`;
      await queueMail(parts, "target-token-expires", { cause, facts });
    }
  };
  return { name: "target expiry mails", firstAfterMs: 60_000, everyMs: HOUR_MS, run };
}

/** The notice that is due now, in days; later ones replace those that were missed. */
export function dueNotice(token: ExpiringToken, now: Date): number | undefined {
  const { createdAt, expiresAt, revokedAt } = token;
  if (!expiresAt || revokedAt || expiresAt <= now) return undefined;
  const leftMs = expiresAt.getTime() - now.getTime();
  const lifeMs = expiresAt.getTime() - createdAt.getTime();
  return NOTICE_DAYS.find((days) => leftMs <= days * DAY_MS && lifeMs > days * DAY_MS);
}
