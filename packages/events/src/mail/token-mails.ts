import type { RegistryEvent } from "../event.ts";
import { queueMail } from "./queue-mail.ts";
import type { MailParts } from "./queue-mail.ts";

/** Parts of mails about tokens and passkeys. */
export type TokenMailParts = MailParts & {
  /** Returns the mail address of a user; undefined without one. */
  readonly emailOfUser: (userId: string) => Promise<string | undefined>;
  /** Returns the mail address of the user of a token; undefined without one. */
  readonly emailOf: (tokenId: string) => Promise<string | undefined>;
};

/** Queues a mail about a token that expires, or has expired. */
export async function queueExpiry(
  parts: TokenMailParts,
  { subject, detail = {} }: RegistryEvent,
): Promise<void> {
  const id = idOf(subject);
  const { name, owner, days, expiresAt } = detail;
  const facts = {
    Token: String(name),
    Id: id,
    ...(typeof owner === "string" && { Owner: owner }),
    Expires: String(expiresAt),
  };
  const template = days === 0 ? "token-expired" : "token-expires";
  const cause = `${id} ${String(days)} days`;
  await queueMail(parts, template, { cause, facts, owner: await parts.emailOf(id) });
}

/** Queues a mail about a token that was reported as leaked. */
export async function queueLeak(
  parts: TokenMailParts,
  { subject, caller, detail = {}, at }: RegistryEvent,
): Promise<void> {
  const id = idOf(subject);
  const { url, source } = detail;
  const facts = {
    Id: id,
    ...(typeof url === "string" && { Place: url }),
    ...(typeof source === "string" && { Source: source }),
    "Reported by": caller.actor,
    Time: at.toISOString(),
  };
  await queueMail(parts, "token-leaked", { cause: id, facts, owner: await parts.emailOf(id) });
}

/** Queues a mail to the user whose passkeys changed. */
export async function queuePasskeyChange(
  parts: TokenMailParts,
  { id, subject, caller, detail = {}, at }: RegistryEvent,
): Promise<void> {
  const owner = await parts.emailOfUser(subject.replace(/^user\//, ""));
  const facts = {
    Change: String(detail["change"]),
    Passkey: String(detail["name"]),
    ...(caller.address !== undefined && { Address: caller.address }),
    Time: at.toISOString(),
  };
  await queueMail({ ...parts, administrators: [] }, "passkey-changed", { cause: id, facts, owner });
}

function idOf(subject: string): string {
  return subject.replace(/^token\//, "");
}
