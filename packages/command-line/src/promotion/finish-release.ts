import { setTimeout as pause } from "node:timers/promises";
import { END_STATES, waitsForKey } from "@sealhouse/promotion";
import type { Promotion, StoredRelease } from "@sealhouse/promotion";
import { EXIT_BUSY } from "../busy.ts";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { printableLine } from "../printable.ts";
import { printRelease } from "./print-release.ts";

/** Exit codes of `sealhouse promote`, for pipelines. */
export const RELEASE_EXIT = {
  released: 0,
  failed: 1,
  rolledBack: 3,
  pending: 4,
  busy: EXIT_BUSY,
} as const;

/** A release that has not ended by then continues in the background. */
const WAIT_MAX_MS = 60 * 60_000;
const LOOK_EVERY_MS = 500;

type FinishOptions = Json & { readonly id: string; readonly isWaiting: boolean };

/**
 * Runs a release, and waits at most an hour for its end. Resolves to the exit code. A stop, or a
 * failure of the database, ends the waiting and not the release.
 */
export async function finishRelease(
  command: Command,
  promotion: Promotion,
  options: FinishOptions,
): Promise<number> {
  const { id, json } = options;
  try {
    const release = await waitForEnd(command, promotion, options);
    print(command, release, json);
    return exitOf(release);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!command.stop.aborted) command.stderr(printableLine(messageOf(error)));
    command.stderr(continues(id));
    return RELEASE_EXIT.pending;
  }
}

async function waitForEnd(
  command: Command,
  promotion: Promotion,
  { id, isWaiting }: FinishOptions,
): Promise<StoredRelease> {
  const deadline = performance.now() + WAIT_MAX_MS;
  let reason: string | undefined;
  for (;;) {
    await promotion.run(id, command.stop);
    const release = await promotion.releases.find(id);
    if (!release) throw new CommandError(`The release ${id} no longer exists.`);
    const isAtWait = !isWaiting || waitsForKey(release) || performance.now() > deadline;
    if (END_STATES.has(release.state) || isAtWait) return release;
    if (release.reason !== undefined && release.reason !== reason) {
      ({ reason } = release);
      command.stderr(`waiting: ${reason}`);
    }
    await pause(waitMs(release), undefined, { signal: command.stop });
  }
}

function waitMs({ nextAt }: StoredRelease): number {
  const ms = (nextAt?.getTime() ?? 0) - Date.now();
  return Math.max(LOOK_EVERY_MS, Math.min(ms, 5 * LOOK_EVERY_MS));
}

function print(command: Command, release: StoredRelease, json: true | undefined): void {
  if (json) command.stdout(JSON.stringify(release, undefined, 2));
  else printRelease(command, release);
  if (END_STATES.has(release.state)) return;
  command.stderr(continues(release.id));
}

function continues(id: string): string {
  return `The release continues in the background: sealhouse release show ${id}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function exitOf({ state }: StoredRelease): number {
  switch (state) {
    case "released":
      return RELEASE_EXIT.released;
    case "failed":
      return RELEASE_EXIT.failed;
    case "rolled-back":
      return RELEASE_EXIT.rolledBack;
    default:
      return RELEASE_EXIT.pending;
  }
}
