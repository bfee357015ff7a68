import type { Protocol } from "@sealhouse/request-types";
import type { RegistryEvent } from "../event.ts";
import { packageOfSubject } from "../event-names.ts";
import type { EventName } from "../event-names.ts";
import type { MailTemplate } from "./mail.ts";
import { hourOf, queueMailTo } from "./queue-mail.ts";
import type { UserMailParts } from "./user-mails.ts";

type NamedEvent = { readonly event: RegistryEvent; readonly name: EventName };

/** Queues mails to the owners of the name that an event is about. */
export async function queueNameChange(parts: UserMailParts, event: RegistryEvent): Promise<void> {
  const name = packageOfSubject(event.subject);
  if (!name) return;
  switch (event.type) {
    case "package.owners-changed":
      return queueOwners(parts, { event, name });
    case "package.access-changed":
      return queuePublic(parts, { event, name });
    case "transfer.changed":
      return queueOffer(parts, { event, name });
    default:
      return undefined;
  }
}

/** The first owner of a name published it, and needs no mail. */
async function queueOwners(parts: UserMailParts, { event, name }: NamedEvent): Promise<void> {
  const { detail = {} } = event;
  const [before, now] = [levelsIn(detail["before"]), levelsIn(detail["levels"])];
  if (before.size === 0) return;
  const owners = [...new Set([...before.keys(), ...now.keys()])];
  const changed = owners.filter((owner) => before.get(owner) !== now.get(owner));
  const others = owners.filter((owner) => !changed.includes(owner) && now.get(owner) !== "read");
  const list = (some: readonly string[], levels: ReadonlyMap<string, string>) =>
    some.map((owner) => `${owner} (${levels.get(owner) ?? ""})`).join(", ");
  const added = changed.filter((owner) => !before.has(owner));
  const removed = changed.filter((owner) => !now.has(owner));
  const moved = changed.filter((owner) => before.has(owner) && now.has(owner));
  const { transfer } = detail;
  const facts = {
    Name: shownName(name),
    ...(added.length > 0 && { Added: list(added, now) }),
    ...(removed.length > 0 && { Removed: list(removed, before) }),
    ...(moved.length > 0 && { "New level": list(moved, now) }),
    ...(typeof transfer === "string" && { "Accepted transfer": transfer }),
    ...endOf(parts, { event, name }),
  };
  const told = new Set<string>();
  for (const [kind, some] of Object.entries({ added, removed, moved, others })) {
    if (some.length === 0) continue;
    const found = await parts.receivers.ofOwners(some);
    const receivers = found.filter((one) => !told.has(one.toLowerCase()));
    for (const one of receivers) told.add(one.toLowerCase());
    await queueHourly(parts, "owners-changed", { event, name, kind, facts, receivers });
  }
}

async function queuePublic(parts: UserMailParts, { event, name }: NamedEvent): Promise<void> {
  if (event.detail?.["access"] !== "public") return;
  const facts = { Name: shownName(name), ...endOf(parts, { event, name }) };
  const receivers = await parts.receivers.ofName(name);
  await queueHourly(parts, "name-public", { event, name, kind: "public", facts, receivers });
}

/** Queues a mail to the other side. An accepted offer is part of the mail about the owners. */
async function queueOffer(parts: UserMailParts, { event, name }: NamedEvent): Promise<void> {
  const { change, to, level } = event.detail ?? {};
  if (change !== "offered" || typeof to !== "string") return;
  const facts = {
    Name: shownName(name),
    "Offered to": to,
    Level: String(level),
    ...endOf(parts, { event, name }),
  };
  const receivers = await parts.receivers.ofOwners([to]);
  await queueHourly(parts, "transfer-offered", { event, name, kind: "offered", facts, receivers });
}

/**
 * Queues a mail to the receivers. Others than the actor get one in an hour for each kind of change
 * that the actor makes to the name, so that repeated changes do not fill their mailboxes.
 */
async function queueHourly(
  parts: UserMailParts,
  template: MailTemplate,
  {
    event: { id, at, caller },
    name: { protocol, name },
    kind,
    facts,
    receivers,
  }: NamedEvent & {
    readonly kind: string;
    readonly facts: Readonly<Record<string, string>>;
    readonly receivers: readonly string[];
  },
): Promise<void> {
  const { actor } = caller;
  const own = new Set((await parts.receivers.ofOwners([actor])).map((one) => one.toLowerCase()));
  const isOwn = (one: string) => own.has(one.toLowerCase());
  const hourly = `${protocol} ${name} ${kind} by ${actor} hour ${hourOf(at)}`;
  const mine = receivers.filter(isOwn);
  await queueMailTo(parts, template, { cause: id, facts, others: mine });
  const others = receivers.filter((one) => !isOwn(one));
  await queueMailTo(parts, template, { cause: hourly, facts, others });
}

/** Formats a name for people: `npm @acme/bar`. */
export function shownName({ protocol, name }: EventName): string {
  return `${protocol} ${name}`;
}

/** The facts that end each mail about a name. */
export function endOf(
  { publicUrl }: Pick<UserMailParts, "publicUrl">,
  { event: { caller, at }, name }: NamedEvent,
): Readonly<Record<string, string>> {
  return {
    "Changed by": caller.actor,
    Time: at.toISOString(),
    ...(publicUrl !== undefined && { Page: pageOfName(publicUrl, name) }),
  };
}

/** Levels by the handles of owners. */
function levelsIn(value: unknown): ReadonlyMap<string, string> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return new Map(entries.map(([owner, level]) => [owner, String(level)]));
}

/** Paths of the pages of names. */
const PAGES: Readonly<Record<Protocol, string>> = {
  nuget: "packages",
  npm: "npm-packages",
  oci: "images",
};

/** Returns the address of the page of a name. */
export function pageOfName(publicUrl: string, { protocol, name }: EventName): string {
  const path = encodeURIComponent(name.toWellFormed())
    .replaceAll("%2F", "/")
    .replaceAll("%40", "@");
  return `${publicUrl.replace(/\/$/, "")}/${PAGES[protocol]}/${path}`;
}
