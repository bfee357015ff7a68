import type { Job } from "@sealhouse/jobs";
import type { KeptDocuments, SourceState, SourceStates } from "./ports.ts";
import { mergedErrors } from "./calls/recent-errors.ts";
import type { CallState, SourceCalls } from "./calls/source-calls.ts";

/** Dependencies of the jobs of a mirror. */
export type MirrorJobParts = {
  readonly calls: Pick<SourceCalls, "states">;
  readonly states: SourceStates;
  readonly documents: Pick<KeptDocuments, "dropAbsent">;
  readonly now: () => Date;
};

const STATES_EVERY_MS = 15_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** The upkeep of a mirror: states of sources become rows, and old memories of absent names go. */
export function mirrorJobs({ calls, states, documents, now }: MirrorJobParts): readonly Job[] {
  const noted = new Map<string, number>();
  return [
    {
      name: "states of package sources",
      firstAfterMs: STATES_EVERY_MS,
      everyMs: STATES_EVERY_MS,
      run: async () => {
        const changed = [...calls.states()].filter(
          ([name, { calls: count }]) => noted.get(name) !== count,
        );
        if (changed.length === 0) return;
        const rows = await states.all();
        for (const [name, state] of changed) {
          const row = rows.get(name.toLowerCase());
          await states.note(name, mergedState(row, sharedState(state, now()), now()));
          noted.set(name, state.calls);
        }
      },
    },
    {
      name: "names that sources do not have",
      firstAfterMs: HOUR_MS,
      everyMs: HOUR_MS,
      run: async () => {
        await documents.dropAbsent(new Date(now().getTime() - DAY_MS));
      },
    },
  ];
}

function sharedState(state: CallState, now: Date): SourceState {
  const { pausedForMs, calls: _, failedCalls: __, ...times } = state;
  const pausedUntil = new Date(now.getTime() + pausedForMs);
  return { ...times, ...(pausedForMs > 0 && { pausedUntil }) };
}

/** The newer times of both: the row may be of another instance. */
export function mergedState(
  row: SourceState | undefined = {},
  state: SourceState,
  now: Date,
): SourceState {
  const lastSuccessAt = later(row.lastSuccessAt, state.lastSuccessAt);
  const isOwnError = later(row.lastErrorAt, state.lastErrorAt) === state.lastErrorAt;
  const { lastErrorAt, lastError } = isOwnError ? state : row;
  const recentErrors = mergedErrors(row.recentErrors, state.recentErrors, now);
  const pausedUntil = state.pausedUntil ?? row.pausedUntil;
  const isOver =
    pausedUntil && lastSuccessAt && later(lastErrorAt, lastSuccessAt) === lastSuccessAt;
  return {
    ...(lastSuccessAt && { lastSuccessAt }),
    ...(lastErrorAt && { lastErrorAt }),
    ...(lastError !== undefined && { lastError }),
    ...(recentErrors.length > 0 && { recentErrors }),
    ...(pausedUntil && !isOver && { pausedUntil }),
  };
}

function later(time: Date | undefined, other: Date | undefined): Date | undefined {
  if (!time || !other) return other ?? time;
  return time > other ? time : other;
}
