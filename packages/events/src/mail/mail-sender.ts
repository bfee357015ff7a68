import type { Job } from "@sealhouse/jobs";
import { nextAttempt } from "../backoff.ts";
import type { Mail, MailQueue, MailResult } from "./mail.ts";
import type { Letter, MailSent } from "./send-mail.ts";

const MINUTE_MS = 60_000;
/** Longer than any attempt: a mail that is claimed this long belongs to a killed process. */
const CLAIM_MS = 10 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const KEPT_MS = 400 * DAY_MS;
const DUE_MAX = 20;

/** Parts of `mailJobs`. */
export type MailSenderParts = {
  readonly queue: MailQueue;
  readonly send: (letter: Letter) => Promise<MailSent>;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Receives mails that were not sent. Must not throw. */
  readonly onFailure: (failure: {
    readonly id: string;
    readonly state: MailResult["state"];
    readonly error: string | undefined;
  }) => void;
};

/** Sends mails that wait, one after the other. Safe on several instances: each claims its mails. */
export function mailJobs(parts: MailSenderParts): readonly Job[] {
  const { queue, now } = parts;
  const sending = async (signal: AbortSignal) => {
    await queue.giveUp(new Date(now().getTime() - CLAIM_MS));
    for (const mail of await queue.due(now(), DUE_MAX)) {
      if (signal.aborted) return;
      if (await queue.claim(mail.id)) await sendClaimed(parts, mail);
    }
  };
  // Keys of old mails keep them from being sent again, so they stay longer than any cause.
  const trimming = async (signal: AbortSignal) => {
    const before = new Date(now().getTime() - KEPT_MS);
    while (!signal.aborted && (await queue.trim(before)) > 0);
  };
  return [
    { name: "mail", firstAfterMs: 2_000, everyMs: 5_000, run: sending },
    { name: "old mails", firstAfterMs: 5 * MINUTE_MS, everyMs: DAY_MS, run: trimming },
  ];
}

async function sendClaimed(parts: MailSenderParts, mail: Mail): Promise<void> {
  const { id, keyHash, recipient, subject, body } = mail;
  const sent = await parts.send({ recipient, subject, body, id: keyHash });
  const result = resultOf(sent, mail, parts);
  await parts.queue.settle(id, result);
  if (result.state !== "sent") {
    parts.onFailure({ id, state: result.state, error: result.error });
  }
}

function resultOf(
  sent: MailSent,
  { attempts }: Mail,
  { now, random = Math.random }: MailSenderParts,
): MailResult {
  if (sent.outcome === "sent") return { state: "sent" };
  const { error } = sent;
  if (sent.outcome === "unknown") return { state: "unknown", error };
  const nextAt = sent.isFinal
    ? undefined
    : nextAttempt({ attempts: attempts + 1, now: now(), random });
  return nextAt ? { state: "waiting", nextAt, error } : { state: "failed", error };
}
