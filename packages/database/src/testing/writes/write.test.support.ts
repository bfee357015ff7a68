import type { EventType } from "@sealhouse/events";
import type { Caller } from "@sealhouse/request-types";
import type { Database } from "../../database.ts";

/** A change that a caller asks for. Each has other names, so that all fit into one database. */
export type Write = {
  readonly name: string;
  /** The value that it resolves to, or a part of it. */
  readonly outcome: unknown;
  /** The same for callers that ask for the same change at the same moment, and come later.
   * Undefined when each of them makes the change again. */
  readonly again: unknown;
  /** The event that it writes in its transaction; undefined for a change without one. */
  readonly event: EventType | undefined;
  /** Writes the rows that the change needs, and returns the change. */
  open(database: Database): Promise<RunWrite>;
};

/** Makes a change, by default at the instance that its rows were written at. */
export type RunWrite = (caller: Caller, at?: Database) => Promise<unknown>;

/** A caller that cannot end. */
export const OPERATOR: Caller = { actor: "operator" };

/** The time of all rows that tests write. */
export const WRITTEN_AT = new Date("2026-06-01T00:00:00.000Z");

/** A change that needs rows, and uses what their preparation returns. */
export function write<Prepared>(parts: {
  readonly name: string;
  readonly event?: EventType;
  readonly outcome?: unknown;
  readonly again?: unknown;
  readonly prepare: (database: Database) => Promise<Prepared>;
  readonly run: (database: Database, caller: Caller, prepared: Prepared) => Promise<unknown>;
}): Write {
  const { name, event, outcome, again, prepare, run } = parts;
  return {
    name,
    event,
    outcome,
    again,
    async open(database) {
      const prepared = await prepare(database);
      return (caller, at = database) => run(at, caller, prepared);
    },
  };
}

/** A change of an empty database. */
export function plainWrite(parts: {
  readonly name: string;
  readonly event?: EventType;
  readonly outcome?: unknown;
  readonly again?: unknown;
  readonly run: (database: Database, caller: Caller) => Promise<unknown>;
}): Write {
  return write({ ...parts, prepare: async () => undefined });
}
