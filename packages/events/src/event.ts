import type { Caller, ShownCaller } from "@sealhouse/request-types";

/** The event types of the audit log and of all consumers. */
export const EVENT_TYPES = [
  "package.published",
  "package.staged",
  "package.stage-rejected",
  "package.stage-expired",
  "package.unlisted",
  "package.relisted",
  "package.deleted",
  "package.erased",
  "package.reuse-allowed",
  "package.deprecated",
  "package.tagged",
  "package.owners-changed",
  "package.access-changed",
  "package.trust-changed",
  "package.signed",
  "package.hashed",
  "package.unsigned",
  "symbols.published",
  "group.promoted",
  "promotion.failed",
  "syndication.failed",
  "token.created",
  "token.replaced",
  "token.revoked",
  "token.expires",
  "token.leaked",
  "passkey.changed",
  "user.signed-in",
  "user.signed-out",
  "user.refused",
  "user.changed",
  "team.changed",
  "account.changed",
  "source.changed",
  "access.refused",
  "access.would-refuse",
  "reservation.changed",
  "transfer.changed",
  "name.reserved",
  "name.released",
  "pipeline.changed",
  "policy.changed",
  "policy.admitted",
  "target.changed",
  "syndication.changed",
  "group.changed",
  "release.changed",
  "certificate.created",
  "certificate.retired",
  "npm-key.created",
  "npm-key.revoked",
  "hold.changed",
  "gc.completed",
  "retention.completed",
  "blob.damaged",
  "blob.restored",
  "settings.changed",
  "webhook.changed",
] as const;

/** The type of an event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** The caller of changes by the registry's own jobs. */
export const SYSTEM: Caller = { actor: "system" };

/** An event to write in the same transaction as its cause, whose commit checks the caller. */
export type NewEvent = {
  readonly type: EventType;
  /** The changed object: `nuget/Acme.Widgets@1.0.0`, `token/<id>`, … */
  readonly subject: string;
  readonly caller: Caller;
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** An event for readers: its caller holds nothing that a commit could check. */
export type ShownEvent = Omit<NewEvent, "caller"> & { readonly caller: ShownCaller };

/** A stored event. */
export type RegistryEvent = ShownEvent & {
  /** A newer version of the program may have written a type that this one does not know. */
  readonly type: EventType;
  /** Ascends in commit order on one instance; unique across instances. */
  readonly id: string;
  readonly at: Date;
};
