import type { EventType, RegistryEvent } from "./event.ts";

/** The outbox, as the delivery uses it. */
export interface Outbox {
  /** Events not yet delivered to `consumer`, oldest first. */
  pending(consumer: string, limit: number): Promise<readonly RegistryEvent[]>;
  /** Marks events as delivered; idempotent. */
  delivered(consumer: string, ids: readonly string[]): Promise<void>;
  /**
   * Deletes events that all `consumers` have handled, once no event with a lower id can still
   * commit. Resolves to their number. Deletes nothing while a consumer has never handled an event.
   */
  trim(consumers: readonly string[]): Promise<number>;
}

/** Filter and page of audit records. All conditions must match. */
export type AuditQuery = {
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
  readonly types?: readonly EventType[];
  readonly actor?: string;
  readonly tokenId?: string;
  /** The exact subject, or a prefix followed by `*`. */
  readonly subject?: string;
  readonly order: "newest-first" | "oldest-first";
  /** Id of the last record of the previous page. */
  readonly after?: string;
  /** Maximum number of records, 1 to 1,000. */
  readonly limit: number;
};

/** Append-only log: only retention deletes records. */
export interface AuditLog {
  /** Appends new events by id; a repeated delivery writes nothing. */
  append(events: readonly RegistryEvent[]): Promise<void>;
  read(query: AuditQuery): Promise<readonly RegistryEvent[]>;
  /**
   * Deletes a limited number of records older than `before`, oldest first. Resolves to their
   * number, 0 when none is left.
   */
  trim(before: Date): Promise<number>;
}
