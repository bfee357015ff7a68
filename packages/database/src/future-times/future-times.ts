import { SESSION_IDLE_MS, SESSION_LIFE_MS } from "@sealhouse/identity";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

/** Corrects the times of waiting work and of sessions after a clock was ahead. */
export interface FutureTimes {
  /**
   * Makes work due now whose time is later than the program can have written it at `now`, and ends
   * sessions, sign-in codes and confirmations that would last too long. Resolves to the number of
   * corrected rows.
   */
  correct(now: Date): Promise<number>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The longest wait for another attempt is a day, which receivers may ask for; plus an hour. */
const ATTEMPT_LONGEST_MS = 25 * HOUR_MS;
/** A claim of an upload lasts a minute until it is renewed, one of an account ten minutes. */
const CLAIM_LONGEST_MS = 15 * MINUTE_MS;
/** Sources are paused for minutes; codes, challenges and confirmations are valid for minutes. */
const MINUTES_LONGEST_MS = HOUR_MS;

const TIMES = { now: param.time, latest: param.time };

const CORRECTIONS = [
  {
    longestMs: ATTEMPT_LONGEST_MS,
    statement: defineStatement("future-deliveries", TIMES, (db, { now, latest }) =>
      db.updateTable("webhook_deliveries").set({ next_at: now }).where("next_at", ">", latest),
    ),
  },
  {
    longestMs: ATTEMPT_LONGEST_MS,
    statement: defineStatement("future-mails", TIMES, (db, { now, latest }) =>
      db.updateTable("mails").set({ next_at: now }).where("next_at", ">", latest),
    ),
  },
  {
    longestMs: ATTEMPT_LONGEST_MS,
    statement: defineStatement("future-parked-events", TIMES, (db, { now, latest }) =>
      db.updateTable("parked_events").set({ next_at: now }).where("next_at", ">", latest),
    ),
  },
  {
    longestMs: ATTEMPT_LONGEST_MS,
    statement: defineStatement("future-releases", TIMES, (db, { now, latest }) =>
      db.updateTable("releases").set({ next_at: now }).where("next_at", ">", latest),
    ),
  },
  {
    longestMs: ATTEMPT_LONGEST_MS,
    statement: defineStatement("future-release-items", TIMES, (db, { now, latest }) =>
      db.updateTable("release_items").set({ next_at: now }).where("next_at", ">", latest),
    ),
  },
  {
    longestMs: CLAIM_LONGEST_MS,
    statement: defineStatement("future-upload-claims", TIMES, (db, { now, latest }) =>
      db.updateTable("oci_uploads").set({ claimed_until: now }).where("claimed_until", ">", latest),
    ),
  },
  {
    longestMs: CLAIM_LONGEST_MS,
    statement: defineStatement("future-account-claims", TIMES, (db, { now, latest }) =>
      db
        .updateTable("host_external_identities")
        .set({ claimed_until: now })
        .where("claimed_until", ">", latest),
    ),
  },
  {
    longestMs: MINUTES_LONGEST_MS,
    statement: defineStatement("future-source-pauses", TIMES, (db, { now, latest }) =>
      db.updateTable("source_states").set({ paused_until: now }).where("paused_until", ">", latest),
    ),
  },
  {
    longestMs: SESSION_LIFE_MS + HOUR_MS,
    statement: defineStatement("future-sessions", TIMES, (db, { now, latest }) =>
      db.updateTable("host_sessions").set({ ends_at: now }).where("ends_at", ">", latest),
    ),
  },
  {
    longestMs: SESSION_IDLE_MS + HOUR_MS,
    statement: defineStatement("future-idle-sessions", TIMES, (db, { now, latest }) =>
      db.updateTable("host_sessions").set({ idle_ends_at: now }).where("idle_ends_at", ">", latest),
    ),
  },
  {
    longestMs: MINUTES_LONGEST_MS,
    statement: defineStatement("future-former-secrets", TIMES, (db, { now, latest }) =>
      db
        .updateTable("host_sessions")
        .set({ previous_ends_at: now })
        .where("previous_ends_at", ">", latest),
    ),
  },
  {
    longestMs: MINUTES_LONGEST_MS,
    statement: defineStatement("future-sign-in-codes", TIMES, (db, { now, latest }) =>
      db
        .updateTable("host_login_sessions")
        .set({ expires_at: now })
        .where("expires_at", ">", latest),
    ),
  },
  {
    longestMs: MINUTES_LONGEST_MS,
    statement: defineStatement("future-challenges", TIMES, (db, { now, latest }) =>
      db.updateTable("host_challenges").set({ expires_at: now }).where("expires_at", ">", latest),
    ),
  },
  {
    longestMs: MINUTES_LONGEST_MS,
    statement: defineStatement("future-confirmations", TIMES, (db, { now, latest }) =>
      db
        .updateTable("host_confirmations")
        .set({ expires_at: now })
        .where("expires_at", ">", latest),
    ),
  },
] as const;

/** Networks wait for ten minutes at most. The column has milliseconds, not a time. */
const COUNTED_LONGEST_MS = HOUR_MS;
const DROP_COUNTERS = defineStatement(
  "future-sign-in-failures",
  { latest: param.whole },
  (db, { latest }) => db.deleteFrom("host_sign_in_failures").where("empty_ms", ">", latest),
);

export function createFutureTimes(queries: Pick<Queries, "run">): FutureTimes {
  return {
    async correct(now) {
      let corrected = 0;
      for (const { statement, longestMs } of CORRECTIONS) {
        const latest = new Date(now.getTime() + longestMs);
        corrected += await queries.run(statement, { now, latest });
      }
      const latest = now.getTime() + COUNTED_LONGEST_MS;
      return corrected + (await queries.run(DROP_COUNTERS, { latest }));
    },
  };
}
