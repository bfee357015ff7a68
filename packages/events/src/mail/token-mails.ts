import type { RegistryEvent } from "../event.ts";
import type { MailReceivers } from "./mail-receivers.ts";
import { queueMail, queueMailTo } from "./queue-mail.ts";
import type { MailParts } from "./queue-mail.ts";

/** Parts of mails about tokens. */
export type TokenMailParts = MailParts & {
  readonly receivers: MailReceivers;
  /** Whether a token is the oldest of its owner. */
  readonly isFirstToken: (token: {
    readonly id: string;
    readonly owner: string | undefined;
  }) => Promise<boolean>;
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Queues mails about a first token, and about a token that administers the registry. */
export async function queueNewToken(parts: TokenMailParts, event: RegistryEvent): Promise<void> {
  const { subject, caller, detail = {}, at } = event;
  const { name, owner, scopes } = detail;
  const id = idOf(subject);
  const ownerName = typeof owner === "string" ? owner : undefined;
  const facts = {
    Token: typeof name === "string" ? name : id,
    Id: id,
    ...(ownerName !== undefined && { Owner: ownerName }),
    "Created by": caller.actor,
    Time: at.toISOString(),
  };
  const isFirst = isOwnToken(event) && (await parts.isFirstToken({ id, owner: ownerName }));
  if (isFirst) await queueMail(parts, "first-token", { cause: id, facts });
  if (!Array.isArray(scopes) || !scopes.includes("admin")) return;
  const told = new Set(isFirst ? parts.administrators.map((one) => one.toLowerCase()) : []);
  const receivers = await parts.receivers.ofToken(id);
  const others = receivers.filter((one) => !told.has(one.toLowerCase()));
  await queueMailTo(parts, "admin-token", { cause: id, facts, others });
}

/** Whether neither a token nor a build made it. */
function isOwnToken({ detail = {}, at }: RegistryEvent): boolean {
  const { parentId, replaces, expiresAt } = detail;
  if (parentId !== undefined || replaces !== undefined) return false;
  return typeof expiresAt !== "string" || Date.parse(expiresAt) - at.getTime() >= DAY_MS;
}

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
  await queueMail(parts, template, { cause, facts, others: await parts.receivers.ofToken(id) });
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
  const others = await parts.receivers.ofToken(id);
  await queueMail(parts, "token-leaked", { cause: id, facts, others });
}

function idOf(subject: string): string {
  return subject.replace(/^token\//, "");
}
