import type { AdvisoryRecorder, NewAdvisory } from "@sealhouse/nuget-protocol";
import { TooManyAdvisoriesError } from "@sealhouse/nuget-protocol";
import type { AdvisorySourceConfig } from "../settings/vulnerabilities.ts";
import { readSource } from "./read-source.ts";
import { createSkippedList } from "./skipped.ts";
import type { Skipped } from "./skipped.ts";
import { AdvisorySourceError } from "./source-error.ts";
import { formatState, parseState } from "./source-state.ts";

export type ImportReport =
  | { readonly status: "unchanged"; readonly source: string }
  | {
      readonly status: "imported";
      readonly source: string;
      readonly added: number;
      readonly removed: number;
      readonly total: number;
      readonly skipped: Skipped;
    };

export type ImportOptions = {
  readonly recorder: AdvisoryRecorder;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** By a command, for a source that the settings do not name. Default false. */
  readonly isByHand?: boolean;
};

/**
 * Makes what a source says now all there is from it.
 * @throws {AdvisorySourceError} when it cannot be read, or says nothing about NuGet at all: then a
 * folder is not mounted, or an address leads to a page, and what was imported before is kept
 */
export async function importAdvisories(
  { name, location }: AdvisorySourceConfig,
  { recorder, fetch, signal, isByHand = false }: ImportOptions,
): Promise<ImportReport> {
  await using opened = new AsyncDisposableStack();
  const known = (await recorder.sources()).find((one) => one.name === name);
  const last = parseState(known?.state);
  const state = last?.location === location ? last : undefined;
  const skipped = createSkippedList();
  try {
    const reading = await readSource(location, { fetch, state, skipped, signal, opened });
    if (reading.status === "unchanged") {
      await recorder.checked(name);
      return { status: "unchanged", source: name };
    }
    const outcome = await recorder.replace(
      name,
      notEmpty(reading.advisories, location, () => skipped.list()),
      formatState({ ...reading.state, ...(isByHand && { isByHand }) }),
    );
    return { status: "imported", source: name, ...outcome, skipped: skipped.list() };
  } catch (error) {
    throw forPeople(error, location);
  }
}

/** The failures that whoever runs the host can do something about. */
function forPeople(error: unknown, location: string): unknown {
  if (error instanceof TooManyAdvisoriesError) {
    return new AdvisorySourceError(error.message, { cause: error });
  }
  const isOfFiles = error instanceof Error && "syscall" in error && "path" in error;
  if (!isOfFiles) return error;
  return new AdvisorySourceError(`${location} cannot be read: ${error.message}.`, { cause: error });
}

async function* notEmpty(
  advisories: AsyncIterable<NewAdvisory> | Iterable<NewAdvisory>,
  location: string,
  skipped: () => Skipped,
): AsyncGenerator<NewAdvisory> {
  let isEmpty = true;
  for await (const advisory of advisories) {
    isEmpty = false;
    yield advisory;
  }
  if (!isEmpty) return;
  const [reason] = skipped().reasons;
  throw new AdvisorySourceError(
    `${location} holds no advisory about a NuGet package` +
      `${reason === undefined ? "" : ` (${reason})`}; what was imported from it before is kept.`,
  );
}
