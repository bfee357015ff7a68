import type { Consumer } from "../delivery.ts";
import { EVENT_TYPES, SYSTEM } from "../event.ts";
import type { EventType, RegistryEvent } from "../event.ts";
import { hourOf, queueMail } from "./queue-mail.ts";
import type { MailParts } from "./queue-mail.ts";
import { queueNameChange } from "./name-mails.ts";
import { queuePipelineChange, queueTrustChange } from "./pipeline-mails.ts";
import { queueExpiry, queueLeak, queueNewToken } from "./token-mails.ts";
import type { TokenMailParts } from "./token-mails.ts";
import { queuePasskeyChange, queueRoleChange } from "./user-mails.ts";
import type { UserMailParts } from "./user-mails.ts";

/** Parts of `mailConsumer`. */
export type MailConsumerParts = TokenMailParts & UserMailParts;

type QueueMail = (parts: MailConsumerParts, event: RegistryEvent) => Promise<void>;

const MAILS: Readonly<Partial<Record<EventType, QueueMail>>> = {
  "token.created": queueNewToken,
  "token.expires": queueExpiry,
  "token.leaked": queueLeak,
  "passkey.changed": queuePasskeyChange,
  "user.changed": queueRoleChange,
  "package.owners-changed": queueNameChange,
  "package.access-changed": queueNameChange,
  "transfer.changed": queueNameChange,
  "package.trust-changed": queueTrustChange,
  "pipeline.changed": queuePipelineChange,
  "blob.damaged": queueDamage,
  "group.promoted": (parts, event) => queueRelease(parts, "release-ended", event),
  "promotion.failed": (parts, event) => queueRelease(parts, "promotion-failed", event),
  "syndication.failed": (parts, event) => queueRelease(parts, "promotion-failed", event),
  "target.changed": queuePause,
};
const TYPES = EVENT_TYPES.filter((type) => type in MAILS);

/** Queues mails about events. The queue refuses repeats, so a retry is harmless. */
export function mailConsumer(parts: MailConsumerParts): Consumer {
  return {
    name: "mail",
    types: TYPES,
    async handle(events) {
      for (const event of events) await MAILS[event.type]?.(parts, event);
    },
  };
}

/**
 * A syndication releases each upload, so only its failures are mailed: one in an hour, because a
 * target that is unavailable fails them all.
 */
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
