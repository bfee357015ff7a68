import type { EventType, RegistryEvent } from "./event.ts";

/** The outbox as a deliverer sees it. */
export interface Outbox {
  /** Events not yet delivered to `consumer`, oldest first. */
  pending(consumer: string, limit: number): Promise<readonly RegistryEvent[]>;
  /** Marks them delivered; idempotent. */
  delivered(consumer: string, ids: readonly string[]): Promise<void>;
  /** Deletes the events that all `consumers` have dealt with, as soon as no event with a lower id
   * can appear any more. Resolves to how many. A consumer that has never had an event keeps all. */
  trim(consumers: readonly string[]): Promise<number>;
}

/** Which records of the audit log to read. All conditions must hold. */
export type AuditQuery = {
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
  readonly types?: readonly EventType[];
  readonly actor?: string;
  readonly tokenId?: string;
  /** The whole subject, or its beginning followed by `*`. */
  readonly subject?: string;
  readonly order: "newest-first" | "oldest-first";
  /** Id of the last record of the page before. */
  readonly after?: string;
  /** Records at most, 1 to 1,000. */
  readonly limit: number;
};

/** Append-only: records leave it only when they are older than what an operator keeps. */
export interface AuditLog {
  /** Appends what is not there yet, by event id: a repeated delivery writes nothing twice. */
  append(events: readonly RegistryEvent[]): Promise<void>;
  read(query: AuditQuery): Promise<readonly RegistryEvent[]>;
  /** Deletes records that are older than `before`, the oldest first and a limited number at once.
   * Resolves to how many; 0 when none is left. */
  trim(before: Date): Promise<number>;
}
