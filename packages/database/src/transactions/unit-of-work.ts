import type { Asker } from "../identity/good-token.ts";
import type { ChangedNames } from "../history/follow-changes.ts";
import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import type { Inserts, Queries } from "../statements/queries.ts";

/** A transaction over both contexts. Await only the database inside it. */
export type Unit = {
  /** Reads with a text of one database; the ports use `queries`. */
  readonly read: (
    statement: Statement,
    parameters: readonly Parameter[],
  ) => Promise<readonly Row[]>;
  /** The same for a change; resolves to the number of changed rows. */
  readonly run: (statement: Statement, parameters: readonly Parameter[]) => Promise<number>;
  /** Executes typed statements within the transaction. */
  readonly queries: Queries & { readonly insert: Inserts };
  /** Called after the commit, but not after a rollback. */
  readonly afterCommit: (listener: () => void) => void;
  /**
   * Requires a valid token or session of the caller at commit, and a role that allows the change.
   * Events call it for their caller; a change without events must call it.
   */
  readonly askedBy: (caller: Asker) => void;
  /** Requires at commit that the caller's token may create names. */
  readonly createsName: () => void;
  /** Records the changed facts of these names in the history, before the commit. */
  readonly follow: (changed: ChangedNames) => void;
  /** Notes that no change of the group came before this transaction, so it has no history. */
  readonly opened: (group: string) => void;
};

export type Transaction = <T>(work: (unit: Unit) => Promise<T>) => Promise<T>;
/** A transaction without the check of the caller's token, which `createChanges` adds. */
export type BareTransaction = <T>(work: (unit: BareUnit) => Promise<T>) => Promise<T>;

export type BareUnit = Omit<Unit, "askedBy" | "createsName" | "follow" | "opened">;
