import type { Database } from "@sealhouse/database";
import { TooManyAdvisoriesError } from "@sealhouse/advisories";
import type { NewNpmAdvisory } from "@sealhouse/npm-protocol";
import { ADVISORIES_MAX } from "@sealhouse/nuget-protocol";
import type { AdvisoryRecorder, NewAdvisory } from "@sealhouse/nuget-protocol";
import type { AdvisorySourceConfig } from "../settings/vulnerabilities.ts";
import type { OsvReading } from "./osv-document.ts";
import { readSource } from "./read-source.ts";
import { createSkippedList } from "./skipped.ts";
import type { Skipped, SkippedList } from "./skipped.ts";
import { AdvisorySourceError } from "./source-error.ts";
import { formatState, parseState } from "./source-state.ts";

/** How many advisories came, went and are there. */
export type Counted = { readonly added: number; readonly removed: number; readonly total: number };

export type ImportReport =
  | { readonly status: "unchanged"; readonly source: string }
  | (Counted & {
      readonly status: "imported";
      readonly source: string;
      readonly nuget: Counted;
      readonly npm: Counted;
      readonly skipped: Skipped;
    });

/** Where advisories go. NuGet's keeps what is known of the source itself. */
export type AdvisoryRecorders = {
  readonly nuget: AdvisoryRecorder;
  readonly npm: Pick<Database["npm"]["advisories"], "replace" | "remove">;
};

export type ImportOptions = {
  readonly recorders: AdvisoryRecorders;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** By a command, for a source that the settings do not name. Default false. */
  readonly isByHand?: boolean;
};

export function advisoryRecorders(database: Pick<Database, "nuget" | "npm">): AdvisoryRecorders {
  return { nuget: database.nuget.advisories, npm: database.npm.advisories };
}

/** Forgets a source with all that it told. */
export async function removeSource(recorders: AdvisoryRecorders, name: string): Promise<void> {
  await recorders.npm.remove(name);
  // Last: as long as the source is known, somebody tries again.
  await recorders.nuget.remove(name);
}

/**
 * Makes what a source says now all there is from it.
 * @throws {AdvisorySourceError} when it cannot be read, or says nothing about NuGet or npm at all:
 * then a folder is not mounted, or an address leads to a page, and what was imported before is kept
 */
export async function importAdvisories(
  { name, location }: AdvisorySourceConfig,
  { recorders, fetch, signal, isByHand = false }: ImportOptions,
): Promise<ImportReport> {
  await using opened = new AsyncDisposableStack();
  const known = (await recorders.nuget.sources()).find((one) => one.name === name);
  const last = parseState(known?.state);
  const state = last?.location === location ? last : undefined;
  const skipped = createSkippedList();
  try {
    const reading = await readSource(location, { fetch, state, signal, opened });
    if (reading.status === "unchanged") {
      await recorders.nuget.checked(name);
      return { status: "unchanged", source: name };
    }
    // One walk fills both. What npm's packages have is more by far, so that is what streams.
    const aboutNuGet: NewAdvisory[] = [];
    const aboutNpm = sorted(reading.readings, { name, location, skipped, aboutNuGet });
    const npm = await recorders.npm.replace(name, aboutNpm);
    const kept = formatState({ ...reading.state, ...(isByHand && { isByHand }) });
    // With the state, and so last: an import that broke off before is not taken for one.
    const nuget = await recorders.nuget.replace(name, aboutNuGet, kept);
    const both = sumOf(nuget, npm);
    return { status: "imported", source: name, ...both, nuget, npm, skipped: skipped.list() };
  } catch (error) {
    throw forPeople(error, location);
  }
}

type Sorting = AdvisorySourceConfig & {
  readonly skipped: SkippedList;
  readonly aboutNuGet: NewAdvisory[];
};

/** Gives what is about npm, and puts aside what is about NuGet. */
async function* sorted(
  readings: AsyncIterable<OsvReading> | Iterable<OsvReading>,
  { name, location, skipped, aboutNuGet }: Sorting,
): AsyncGenerator<NewNpmAdvisory> {
  let isEmpty = true;
  for await (const { nuget, npm, problems } of readings) {
    skipped.add(...problems);
    for (const advisory of nuget) {
      if (aboutNuGet.length === ADVISORIES_MAX) {
        throw new TooManyAdvisoriesError(name, "NuGet", ADVISORIES_MAX);
      }
      aboutNuGet.push(advisory);
    }
    if (nuget.length + npm.length > 0) isEmpty = false;
    yield* npm;
  }
  if (!isEmpty) return;
  const [reason] = skipped.list().reasons;
  throw new AdvisorySourceError(
    `${location} holds no advisory about a NuGet or npm package` +
      `${reason === undefined ? "" : ` (${reason})`}; what was imported from it before is kept.`,
  );
}

function sumOf(one: Counted, other: Counted): Counted {
  return {
    added: one.added + other.added,
    removed: one.removed + other.removed,
    total: one.total + other.total,
  };
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
