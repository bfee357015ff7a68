import type { RegistryEvent } from "../event.ts";
import type { MailReceivers } from "./mail-receivers.ts";
import { queueMail, queueMailTo } from "./queue-mail.ts";
import type { MailParts } from "./queue-mail.ts";

/** Parts of mails about users. */
export type UserMailParts = MailParts & {
  readonly receivers: MailReceivers;
  /** Public address of the registry; undefined when no setting has it. */
  readonly publicUrl?: string | undefined;
};

/** Queues a mail to the user whose passkeys changed; of an administrator, to all of them. */
export async function queuePasskeyChange(
  parts: UserMailParts,
  { id, subject, caller, detail = {}, at }: RegistryEvent,
): Promise<void> {
  const userId = idOf(subject);
  const isForAll = await parts.receivers.isAdministrator(userId);
  const facts = {
    ...(isForAll && { User: caller.actor }),
    Change: String(detail["change"]),
    Passkey: String(detail["name"]),
    ...(caller.address !== undefined && { Address: caller.address }),
    Time: at.toISOString(),
    ...pageOf(parts),
  };
  const draft = { cause: id, facts, others: await parts.receivers.ofOwners([userId]) };
  await (isForAll ? queueMail : queueMailTo)(parts, "passkey-changed", draft);
}

/** Queues a mail to the user whose role changed; of a new administrator, to all of them. */
export async function queueRoleChange(
  parts: UserMailParts,
  { id, subject, caller, detail = {}, at }: RegistryEvent,
): Promise<void> {
  const { change, role } = detail;
  if (change !== "role") return;
  const handle = idOf(subject);
  const facts = {
    User: handle,
    Role: String(role),
    "Changed by": caller.actor,
    Time: at.toISOString(),
    ...pageOf(parts),
  };
  const draft = { cause: id, facts, others: await parts.receivers.ofOwners([handle]) };
  await (role === "administrator" ? queueMail : queueMailTo)(parts, "role-changed", draft);
}

function pageOf({ publicUrl }: UserMailParts): { readonly Page?: string } {
  return publicUrl === undefined ? {} : { Page: `${publicUrl.replace(/\/$/, "")}/account` };
}

function idOf(subject: string): string {
  return subject.replace(/^user\//, "");
}
