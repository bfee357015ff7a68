import type { Caller } from "@sealhouse/request-types";

/** What can happen; the audit log and every subscriber use the same names. */
export const EVENT_TYPES = [
  "package.published",
  "package.staged",
  "package.stage-rejected",
  "package.stage-expired",
  "package.unlisted",
  "package.relisted",
  "package.deleted",
  "package.reuse-allowed",
  "package.deprecated",
  "package.tagged",
  "package.owners-changed",
  "package.access-changed",
  "package.trust-changed",
  "package.signed",
  "package.unsigned",
  "symbols.published",
  "group.promoted",
  "promotion.failed",
  "syndication.failed",
  "token.created",
  "token.replaced",
  "token.revoked",
  "user.signed-in",
  "user.refused",
  "user.changed",
  "source.changed",
  "target.changed",
  "group.changed",
  "certificate.created",
  "certificate.retired",
  "npm-key.created",
  "npm-key.revoked",
  "gc.completed",
  "retention.completed",
  "blob.damaged",
  "blob.restored",
  "settings.changed",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const SYSTEM: Caller = { actor: "system" };

/** Something that is about to be written beside its cause, in one transaction. */
export type NewEvent = {
  readonly type: EventType;
  /** What it happened to: `nuget/Acme.Widgets@1.0.0`, `token/<id>`, … */
  readonly subject: string;
  readonly caller: Caller;
  readonly detail?: Readonly<Record<string, unknown>>;
};

export type RegistryEvent = NewEvent & {
  /** Rises with the order of commits on one instance; unique on all. */
  readonly id: string;
  readonly at: Date;
};
