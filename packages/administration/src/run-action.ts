import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import type { Action, Asked } from "./action.ts";
import { entityTagOf } from "./entity-tag.ts";
import { RefusedActionError } from "./refusal.ts";

/** Milliseconds after which a failed instance no longer keeps others from a change. */
const LEASE_MS = 60_000;
/** Milliseconds that a change waits for another change of the same kind of row. */
const WAIT_MAX_MS = 10_000;

/** A call with an input that its schema accepted. */
type AskedInput = Asked<Record<string, unknown>>;

/** Compares a change with the row that its caller saw. */
export type RowCheck = {
  /** All actions: one of them reads the row. */
  readonly actions: readonly Action[];
  /** Throws a refusal when the entity tag of the row is another one. */
  readonly compare: (tag: () => Promise<string>) => Promise<void>;
};

/**
 * Runs an action. Of the changes of one kind of row, one runs at a time on all instances, so that
 * the row cannot change by another action between the comparison and the commit.
 *
 * @throws RefusedActionError
 */
export async function runAction(
  action: Action,
  asked: AskedInput,
  check?: RowCheck,
): Promise<unknown> {
  const { changes, isLong, changesNothing } = action;
  if (changes === undefined || asked.isDryRun || isLong || changesNothing) {
    // Long work takes its own lease, and must not keep others waiting.
    if (check) await checkRow(action, asked, check);
    return action.run(asked);
  }
  const { leases } = await asked.parts.rows();
  const { signal } = asked;
  const lease = { name: `change:${changes}`, leaseMs: LEASE_MS, waitMaxMs: WAIT_MAX_MS, signal };
  const work = async (leaseSignal: AbortSignal) => {
    if (check) await checkRow(action, asked, check);
    return action.run({ ...asked, signal: leaseSignal });
  };
  const outcome = await runLeased(leases, lease, work).catch((error: unknown) => {
    throw error instanceof LostLeaseError ? new RefusedActionError("busy", LOST) : error;
  });
  if (outcome.status === "busy") throw new RefusedActionError("busy", BUSY);
  return outcome.result;
}

const BUSY = "Another change of such an entry has not ended. Try again in a moment.";
const LOST = "The database did not answer in time. Look at the entry before you try again.";

/** Compares the row that an action changes, if it changes one. */
export async function checkRow(
  { changes }: Action,
  asked: AskedInput,
  { actions, compare }: RowCheck,
): Promise<void> {
  const reader = actions.find(({ id }) => id === changes);
  if (reader) await compare(() => tagOf(reader, asked));
}

/** Reads the row that an action changes, and returns its entity tag. */
export async function tagOf(reader: Action, asked: AskedInput): Promise<string> {
  const names = Object.keys(reader.input.shape);
  const known = Object.entries(asked.input).filter(([name]) => names.includes(name));
  const input = reader.input.parse(Object.fromEntries(known));
  const output = await reader.run({ ...asked, input, isDryRun: false });
  return entityTagOf(reader, reader.output.parse(output));
}
