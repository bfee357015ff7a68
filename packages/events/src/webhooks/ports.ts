import type { Caller } from "@sealhouse/request-types";
import type { EventType } from "../event.ts";
import type { WebhookRow } from "./webhook.ts";

/** Stored subscriptions. Each change and its event are one transaction. */
export interface WebhookRows {
  /** In order of creation. */
  list(): Promise<readonly WebhookRow[]>;
  /** Adds the subscription, or replaces the one with its id. */
  put(row: WebhookRow, change: { readonly caller: Caller; readonly what: string }): Promise<void>;
  /** Removes the subscription with its deliveries. */
  remove(id: string, caller: Caller): Promise<"removed" | "absent">;
}

/** A delivery to add to the queue of a subscription. */
export type NewDelivery = {
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: EventType;
  readonly subject: string;
  /** The names that the event has, such as `npm/@acme/bar`. */
  readonly names: readonly string[];
  /** The text to send. */
  readonly body: string;
};

/** An attempt of a delivery. */
export type DeliveryAttempt = {
  /** ISO 8601. */
  readonly at: string;
  readonly durationMs: number;
  /** Status of the answer; undefined without an answer. */
  readonly status?: number;
  readonly error?: string;
};

/**
 * The state of a delivery. `withheld`: not sent, because a name was not public at its turn. `dead`:
 * no longer tried.
 */
export type DeliveryState = "waiting" | "delivered" | "withheld" | "dead";

/** The state of a delivery that has ended. */
export type EndedState = Exclude<DeliveryState, "waiting">;

/** A stored delivery. */
export type WebhookDelivery = NewDelivery & {
  readonly id: string;
  readonly state: DeliveryState;
  /** Attempts since the beginning or the last replay. */
  readonly attempts: number;
  readonly nextAt?: Date;
  /** The last attempts, oldest first. */
  readonly log: readonly DeliveryAttempt[];
  readonly createdAt: Date;
  readonly doneAt?: Date;
};

/** A result of an attempt. */
export type DeliveryResult = {
  readonly id: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Only for `waiting`. */
  readonly nextAt: Date | undefined;
  readonly log: readonly DeliveryAttempt[];
};

/** The queues of all subscriptions. */
export interface DeliveryQueue {
  /** Adds deliveries; leaves out those of an event that the subscription has already. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** Ids of subscriptions with a delivery that is due. */
  dueWebhooks(now: Date): Promise<readonly string[]>;
  /**
   * Deliveries of a subscription that are due, oldest event first, without those behind an earlier
   * delivery of their subject that waits for a later attempt.
   */
  due(webhookId: string, now: Date, limit: number): Promise<readonly WebhookDelivery[]>;
  /** Stores results in one transaction. */
  settle(results: readonly DeliveryResult[]): Promise<void>;
  /**
   * Deletes a limited number of deliveries that ended before `before`. Resolves to their number.
   */
  trim(before: Date): Promise<number>;
  /**
   * Deletes a limited number of deliveries of each subscription that ended, beyond the newest ones
   * of `state`. Resolves to their number.
   */
  trimTo(state: EndedState, newest: number): Promise<number>;
}

/** The log of deliveries, for people. */
export interface DeliveryLog {
  /** Newest first; `before`: those with a lower id. */
  list(filter: {
    readonly webhookId?: string;
    readonly state?: DeliveryState;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly WebhookDelivery[]>;
  /** Sends a delivery again, with the same id. */
  replay(id: string): Promise<"replayed" | "absent">;
  /** Sends all dead deliveries of a subscription again. Resolves to their number. */
  replayDead(webhookId: string): Promise<number>;
  /** Numbers of deliveries that wait, and of those that failed for good since `since`. */
  count(since: Date): Promise<{ readonly waiting: number; readonly dead: number }>;
}
