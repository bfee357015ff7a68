import type { MailQueue, MailTemplate, NewMail } from "./mail.ts";
import { renderMail } from "./mail-texts.ts";

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
  /** A recipient besides the administrators. */
  readonly owner?: string | undefined;
};

/** Identity providers deliver the addresses of users, which may have any form. */
const ADDRESS = /^[^\s\p{C}@<>"(),:;[\]\\]{1,64}@[^\s\p{C}@<>"(),:;[\]\\]{1,255}$/u;

/** Queues a mail to each administrator, and to the owner. */
export async function queueMail(
  { queue, serverName, administrators }: MailParts,
  template: MailTemplate,
  { cause, facts, owner }: MailDraft,
): Promise<void> {
  const text = renderMail(template, { serverName, facts });
  const isKnown = administrators.some((one) => one.toLowerCase() === owner?.toLowerCase());
  const isAdded = owner !== undefined && !isKnown && ADDRESS.test(owner);
  const mails = [...administrators, ...(isAdded ? [owner] : [])].map((recipient): NewMail => {
    return { key: `${template} ${cause} ${recipient.toLowerCase()}`, template, recipient, ...text };
  });
  if (mails.length > 0) await queue.add(mails);
}
