import type { RegistryEvent } from "./event.ts";

/** The outbox as a deliverer sees it. */
export interface Outbox {
  /** Events not yet delivered to `consumer`, oldest first. */
  pending(consumer: string, limit: number): Promise<readonly RegistryEvent[]>;
  /** Marks them delivered; idempotent. */
  delivered(consumer: string, ids: readonly string[]): Promise<void>;
}

/** Append-only. */
export interface AuditLog {
  /** Appends what is not there yet, by event id: a repeated delivery writes nothing twice. */
  append(events: readonly RegistryEvent[]): Promise<void>;
  /** Newest first. */
  latest(limit: number): Promise<readonly RegistryEvent[]>;
}
