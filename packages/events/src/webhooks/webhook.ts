import type { EventType } from "../event.ts";

/** The form of the body: CloudEvents 1.0, or that of hosts for .NET. */
export type WebhookFormat = "CloudEvents" | "Legacy";

/** A subscription: a URL that gets events. */
export type Webhook = {
  /** UUID; of a configured subscription, one that follows from its URL. */
  readonly id: string;
  readonly url: string;
  /** Event types, or their first parts with `*`: `package.*`. Empty: all. */
  readonly events: readonly string[];
  readonly format: WebhookFormat;
  readonly origin: "database" | "settings";
  readonly isEnabled: boolean;
  /** Whether it gets events about names that are not public. */
  readonly includesPrivate: boolean;
  /** Whether the receiver may have an address in a private network. */
  readonly allowsPrivateNetwork: boolean;
  /** Why the registry disabled it. */
  readonly reason?: string;
  readonly createdAt: Date;
};

/** A stored subscription. Its secrets are encrypted. */
export type WebhookRow = Webhook & {
  readonly secret?: Uint8Array;
  /** The secret before a rotation, which signs until `formerEndsAt`, too. */
  readonly formerSecret?: Uint8Array;
  readonly formerEndsAt?: Date;
};

/** Whether a subscription gets events of a type. */
export function isSubscribed({ events }: Pick<Webhook, "events">, type: EventType): boolean {
  if (events.length === 0) return true;
  return events.some((one) =>
    one.endsWith("*") ? type.startsWith(one.slice(0, -1)) : one === type,
  );
}
