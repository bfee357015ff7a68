import type { MailQueue, MailTemplate, NewMail } from "./mail.ts";
import { renderMail } from "./mail-texts.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Parts of the messages of a registry. */
export type MailParts = {
  readonly queue: Pick<MailQueue, "add">;
  readonly serverName: string;
  readonly administrators: readonly string[];
};

/** A mail before it has recipients. */
export type MailDraft = {
  /** Distinguishes it from other mails of its template. */
  readonly cause: string;
  readonly facts: Readonly<Record<string, string>>;
  /** Recipients besides the administrators. */
  readonly others?: readonly string[];
};

/** Identity providers deliver the addresses of users, which may have any form. */
const ADDRESS = /^[^\s\p{C}@<>"(),:;[\]\\]{1,64}@[^\s\p{C}@<>"(),:;[\]\\]{1,255}$/u;

/** Queues a mail to each administrator and to the others, one for each address. */
export async function queueMail(
  { queue, serverName, administrators }: MailParts,
  template: MailTemplate,
  { cause, facts, others = [] }: MailDraft,
): Promise<void> {
  const text = renderMail(template, { serverName, facts });
  const recipients = new Map<string, string>();
  for (const one of [...administrators, ...others.filter((other) => ADDRESS.test(other))]) {
    const key = one.toLowerCase();
    if (!recipients.has(key)) recipients.set(key, one);
  }
  const mails = [...recipients].map(([address, recipient]): NewMail => {
    return { key: `${template} ${cause} ${address}`, template, recipient, ...text };
  });
  if (mails.length > 0) await queue.add(mails);
}

/** Queues a mail to these addresses only. */
export function queueMailTo(
  parts: MailParts,
  template: MailTemplate,
  draft: MailDraft,
): Promise<void> {
  return queueMail({ ...parts, administrators: [] }, template, draft);
}

/** The hour of a time, for causes of which one in an hour is mailed. */
export function hourOf(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS);
}
