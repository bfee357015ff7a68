import type { EventType, RegistryEvent } from "./event.ts";

/** A consumer, as the outbox knows it. */
export type EventReader = {
  /** Key of the stored progress. */
  readonly name: string;
  /** The types that it reads; undefined: all, unknown ones too. */
  readonly types?: readonly EventType[] | undefined;
};

/** The outbox, as the delivery uses it. */
export interface Outbox {
  /** Events of the types not yet delivered to `consumer`, oldest first. */
  pending(
    consumer: string,
    limit: number,
    types?: EventReader["types"],
  ): Promise<readonly RegistryEvent[]>;
  /** Marks events as delivered; idempotent. `types` are those of `pending`. */
  delivered(consumer: string, ids: readonly string[], types?: EventReader["types"]): Promise<void>;
  /**
   * Deletes events that all `readers` have handled or do not read, once no event with a lower id
   * can still commit. Resolves to their number.
   */
  trim(readers: readonly EventReader[]): Promise<number>;
}

/** An event that a consumer could not take. */
export type ParkedEvent = {
  readonly id: string;
  readonly consumer: string;
  readonly event: RegistryEvent;
  /** Attempts since it was parked or replayed. */
  readonly attempts: number;
  /** Undefined: no further attempt unless it is replayed. */
  readonly nextAt?: Date;
  /** Message of the last failure. */
  readonly error: string;
  readonly parkedAt: Date;
};

/** Events that consumers could not take, as the delivery uses them. */
export interface ParkedEvents {
  /** Adds an event; does nothing when the consumer has it here already. */
  park(consumer: string, event: RegistryEvent, next: NextAttempt): Promise<void>;
  /** The events of a consumer that have a next attempt, oldest first. */
  waiting(consumer: string, limit: number): Promise<readonly ParkedEvent[]>;
  /** Counts an attempt and moves the next one. False when another instance was faster. */
  claim(parked: ParkedEvent, nextAt: Date): Promise<boolean>;
  /** Stores the failure of a claimed attempt. */
  fail(id: string, next: NextAttempt): Promise<void>;
  /** Removes an event, for instance one that was taken. */
  remove(id: string): Promise<"removed" | "absent">;
}

/** The last failure, and the time of the next attempt; undefined: none. */
export type NextAttempt = { readonly error: string; readonly nextAt: Date | undefined };

/** The list of events that consumers could not take, for people. */
export interface ParkedList {
  /**
   * Newest first; `dead`: only those without a further attempt; `before`: those with a lower id.
   */
  list(filter: {
    readonly dead: boolean;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly ParkedEvent[]>;
  /** Lets the consumer try again at once. */
  replay(id: string): Promise<"replayed" | "absent">;
  /** Numbers of parked events. */
  count(): Promise<{ readonly waiting: number; readonly dead: number }>;
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
  /** The recorded address of the caller. */
  readonly address?: string;
  /** The exact subject, or a prefix followed by `*`. */
  readonly subject?: string;
  /** By time, and by id at the same time. */
  readonly order: "newest-first" | "oldest-first";
  /** `next` of the previous page. */
  readonly after?: string;
  /** Maximum number of records, 1 to 1,000. */
  readonly limit: number;
};

/** One page of audit records. */
export type AuditPage = {
  /**
   * May be fewer than the limit although more follow: the rows that a page looks at have a limit,
   * too.
   */
  readonly records: readonly RegistryEvent[];
  /** Present when more may follow. */
  readonly next?: string;
};

/** The form of `next` and `after`: the milliseconds of a time, and an id. */
export const AUDIT_KEY = /^(\d{1,16})-(\d{1,16})$/;

/** Append-only log: only retention deletes records. */
export interface AuditLog {
  /** Appends new events by id; a repeated delivery writes nothing. */
  append(events: readonly RegistryEvent[]): Promise<void>;
  read(query: AuditQuery): Promise<AuditPage>;
  find(id: string): Promise<RegistryEvent | undefined>;
  /**
   * Deletes a limited number of records older than `before`, oldest first. Resolves to their
   * number, 0 when none is left.
   */
  trim(before: Date): Promise<number>;
}
