import { setTimeout as delay } from "node:timers/promises";
import type { ShownCaller } from "@sealhouse/request-types";
import type { ShownEvent } from "../event.ts";
import { SYSTEM } from "../event.ts";

/** A request that the registry refused. */
export type Refusal = {
  readonly caller: ShownCaller;
  /** `npm/@acme/app`, or a protocol or part of the registry where the request has no name. */
  readonly subject: string;
  readonly action: string;
  /** Words of the answer. */
  readonly reason: string;
};

/** The audit log, as far as it takes refusals. */
export type RefusalLog = {
  /** Writes the events that equal none of the last minute, of any instance, by `refusalKey`. */
  recordRefusals(events: readonly ShownEvent[]): Promise<void>;
};

/** Notes refusals. Disposal writes those that wait. */
export type RefusalNotes = AsyncDisposable & {
  /** Returns at once. */
  note(refusal: Refusal): void;
};

/** Milliseconds in which an equal refusal is written once. */
export const REFUSAL_QUIET_MS = 60_000;

const FLUSH_MS = 1_000;
/** Rows of one instance in `REFUSAL_QUIET_MS`, whatever the callers do. */
const ROWS_MAX = 120;
const SUBJECT_LENGTH_MAX = 255;
const REASON_LENGTH_MAX = 500;

/** Dependencies of `openRefusalNotes`. */
export type RefusalNotesParts = {
  readonly events: RefusalLog;
  readonly log: { warn(fields: object, message: string): void };
  readonly now: () => Date;
};

/** Identifies refusals of the same caller about the same subject for the same reason. */
export function refusalKey({ subject, caller, detail }: Omit<ShownEvent, "type">): string {
  const { actor, tokenId, address } = caller;
  return JSON.stringify([actor, tokenId ?? address ?? "", subject, detail?.["reason"] ?? ""]);
}

/**
 * Opens the notes of refusals. A request never waits for them, and a flood of requests writes a
 * bounded number of rows: one of them counts the other refusals.
 */
export function openRefusalNotes({ events, log, now }: RefusalNotesParts): RefusalNotes {
  /** Times by key, no more than `ROWS_MAX` of each minute. */
  const noted = new Map<string, number>();
  const closing = new AbortController();
  let waiting: ShownEvent[] = [];
  let writing: Promise<void> | undefined;
  let minute = { begin: 0, rows: 0, left: 0 };

  const write = async () => {
    await delay(FLUSH_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    const some = waiting;
    waiting = [];
    writing = undefined;
    try {
      await events.recordRefusals(some);
    } catch (error) {
      log.warn({ err: error, refusals: some.length }, "could not write refusals to the audit log");
    }
  };
  const add = (event: ShownEvent) => {
    waiting.push(event);
    writing ??= write();
  };
  const beginMinute = (begin: number) => {
    if (begin - minute.begin < REFUSAL_QUIET_MS) return;
    for (const [key, time] of noted) if (begin - time >= REFUSAL_QUIET_MS) noted.delete(key);
    if (minute.left > 0) add(countOf(minute.left));
    minute = { begin, rows: 0, left: 0 };
  };
  return {
    note(refusal) {
      const time = now().getTime();
      beginMinute(time);
      const event = eventOf(refusal);
      const key = refusalKey(event);
      if (time - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < REFUSAL_QUIET_MS) return;
      if (minute.rows >= ROWS_MAX) {
        minute.left += 1;
        return;
      }
      noted.set(key, time);
      minute.rows += 1;
      add(event);
    },
    async [Symbol.asyncDispose]() {
      if (minute.left > 0) add(countOf(minute.left));
      closing.abort();
      await writing;
    },
  };
}

function eventOf({ caller, subject, action, reason }: Refusal): ShownEvent {
  const detail = { action, reason: reason.slice(0, REASON_LENGTH_MAX) };
  const shown = subject.slice(0, SUBJECT_LENGTH_MAX);
  return { type: "access.refused", subject: shown, caller, detail };
}

function countOf(left: number): ShownEvent {
  const reason = `${left} more requests were refused in this minute, and have no record.`;
  return { type: "access.refused", subject: "registry", caller: SYSTEM, detail: { reason } };
}
