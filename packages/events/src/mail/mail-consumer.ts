import type { Consumer } from "../delivery.ts";
import { SYSTEM } from "../event.ts";
import type { EventType, RegistryEvent } from "../event.ts";
import { queueMail } from "./queue-mail.ts";
import type { MailParts } from "./queue-mail.ts";
import { queueExpiry, queueLeak, queuePasskeyChange } from "./token-mails.ts";
import type { TokenMailParts } from "./token-mails.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Parts of `mailConsumer`. */
export type MailConsumerParts = TokenMailParts & {
  /** Whether a token is the oldest of its owner. */
  readonly isFirstToken: (token: {
    readonly id: string;
    readonly owner: string | undefined;
  }) => Promise<boolean>;
};

const TYPES = [
  "token.created",
  "token.expires",
  "token.leaked",
  "passkey.changed",
  "blob.damaged",
  "group.promoted",
  "promotion.failed",
  "syndication.failed",
  "target.changed",
] as const satisfies readonly EventType[];

/** Queues mails about events. The queue refuses repeats, so a retry is harmless. */
export function mailConsumer(parts: MailConsumerParts): Consumer {
  return {
    name: "mail",
    types: TYPES,
    async handle(events) {
      for (const event of events) await queueFor(parts, event);
    },
  };
}

async function queueFor(parts: MailConsumerParts, event: RegistryEvent): Promise<void> {
  switch (event.type) {
    case "blob.damaged":
      return queueDamage(parts, event);
    case "token.created":
      return queueFirstToken(parts, event);
    case "token.expires":
      return queueExpiry(parts, event);
    case "token.leaked":
      return queueLeak(parts, event);
    case "passkey.changed":
      return queuePasskeyChange(parts, event);
    case "group.promoted":
      return queueRelease(parts, "release-ended", event);
    case "promotion.failed":
    case "syndication.failed":
      return queueRelease(parts, "promotion-failed", event);
    case "target.changed":
      return queuePause(parts, event);
    default:
      return undefined;
  }
}

/** A syndication releases each upload, so only its failures are mailed: one in an hour, because a
 * target that is away fails them all. */
async function queueRelease(
  parts: MailParts,
  template: "release-ended" | "promotion-failed",
  { subject, caller, detail = {}, at }: RegistryEvent,
): Promise<void> {
  const { release, number, targets, reason, syndication } = detail;
  if (template === "release-ended" && syndication !== undefined) return;
  const facts = {
    Group: `${subject.replace(/^group\//, "")} #${String(number)}`,
    Id: String(release),
    Targets: Array.isArray(targets) ? targets.join(", ") : "",
    ...(typeof reason === "string" && { Reason: reason }),
    "Started by": caller.actor,
    Time: at.toISOString(),
  };
  const isUpload = typeof syndication === "string";
  const cause = isUpload
    ? `syndication ${syndication} hour ${hourOf(at)}`
    : `${String(release)} ${at.toISOString()}`;
  await queueMail(parts, template, { cause, facts });
}

/** Only pauses by the registry itself; an operator knows of the others. */
async function queuePause(
  parts: MailParts,
  { id, subject, caller, detail = {}, at }: RegistryEvent,
): Promise<void> {
  const { paused, reason } = detail;
  if (paused !== true || caller.actor !== SYSTEM.actor) return;
  const facts = { Target: subject, Reason: String(reason), Time: at.toISOString() };
  await queueMail(parts, "target-paused", { cause: `${subject} ${id}`, facts });
}

/** One mail an hour: a lost disk damages thousands of files. */
function queueDamage(parts: MailParts, { subject, at }: RegistryEvent): Promise<void> {
  const facts = { "First file": subject, Time: at.toISOString() };
  return queueMail(parts, "damage-found", { cause: `hour ${hourOf(at)}`, facts });
}

function hourOf(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS);
}

async function queueFirstToken(parts: MailConsumerParts, event: RegistryEvent): Promise<void> {
  const { subject, caller, detail = {}, at } = event;
  const { name, owner, parentId, replaces, expiresAt } = detail;
  // Made by another token, or in place of one.
  if (parentId !== undefined || replaces !== undefined || isShortLived(expiresAt, at)) return;
  const id = subject.replace(/^token\//, "");
  const ownerName = typeof owner === "string" ? owner : undefined;
  if (!(await parts.isFirstToken({ id, owner: ownerName }))) return;
  const facts = {
    Token: typeof name === "string" ? name : id,
    Id: id,
    ...(ownerName !== undefined && { Owner: ownerName }),
    "Created by": caller.actor,
    Time: at.toISOString(),
  };
  await queueMail(parts, "first-token", { cause: id, facts });
}

function isShortLived(expiresAt: unknown, at: Date): boolean {
  if (typeof expiresAt !== "string") return false;
  return Date.parse(expiresAt) - at.getTime() < 24 * HOUR_MS;
}
