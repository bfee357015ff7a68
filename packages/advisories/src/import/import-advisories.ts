import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { AdvisorySourceError, TooManyAdvisoriesError } from "../errors.ts";
import type {
  AdvisoryReaders,
  AdvisoryRecorders,
  AdvisorySourceLocation,
  Counted,
} from "../ports.ts";
import { readSource } from "../sources/read-source.ts";
import type { Readings } from "../sources/read-source.ts";
import { createSkippedList } from "../sources/skipped.ts";
import type { Skipped, SkippedList } from "../sources/skipped.ts";
import { formatState, parseState } from "../sources/source-state.ts";

export type ImportReport =
  | { readonly status: "unchanged"; readonly source: string }
  | (Counted & {
      readonly status: "imported";
      readonly source: string;
      readonly nuget: Counted;
      readonly npm: Counted;
      readonly skipped: Skipped;
    });

export type ImportOptions<NuGet, Npm> = {
  readonly readers: AdvisoryReaders<NuGet, Npm>;
  readonly recorders: AdvisoryRecorders<NuGet, Npm>;
  /** Checks each address, and does not follow redirects. */
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** True when a person named the source, so that refreshes do not remove it. Default: false. */
  readonly isByHand?: boolean;
};

/** NuGet advisories of one source are collected in memory. */
const COLLECTED_MAX = 200_000;

/**
 * Imports a source: its advisories replace those that were imported from it before.
 * @throws {AdvisorySourceError} when it cannot be read, or has no advisory about NuGet or npm at
 * all: then a folder is not mounted, or the address is that of a page. What was imported before is
 * kept
 */
export async function importAdvisories<NuGet, Npm>(
  { name, location }: AdvisorySourceLocation,
  options: ImportOptions<NuGet, Npm>,
): Promise<ImportReport> {
  const { readers, recorders, fetch, signal, isByHand = false } = options;
  await using opened = new AsyncDisposableStack();
  const known = (await recorders.nuget.sources()).find((one) => one.name === name);
  const last = parseState(known?.state);
  const state = last?.location === location ? last : undefined;
  const skipped = createSkippedList();
  try {
    const source = await readSource(location, { readers, fetch, state, signal, opened });
    if (source.status === "unchanged") {
      await recorders.nuget.checked(name);
      return { status: "unchanged", source: name };
    }
    // One pass serves both. Most advisories are about npm packages, so those are streamed.
    const collected: NuGet[] = [];
    const streamed = sorted(source.readings, { name, location, skipped, collected });
    const npm = await recorders.npm.replace(name, streamed);
    const kept = formatState({ ...source.state, ...(isByHand && { isByHand }) });
    // The state is stored last, so that an import that was interrupted runs again.
    const nuget = await recorders.nuget.replace(name, collected, kept);
    const both = sumOf(nuget, npm);
    return { status: "imported", source: name, ...both, nuget, npm, skipped: skipped.list() };
  } catch (error) {
    throw toSourceError(error, location);
  }
}

/** Removes a source with all its advisories. */
export async function removeSource<NuGet, Npm>(
  recorders: AdvisoryRecorders<NuGet, Npm>,
  name: string,
): Promise<void> {
  await recorders.npm.remove(name);
  // Last: a source that is still known is removed again after a failure.
  await recorders.nuget.remove(name);
}

type Sorting<NuGet> = AdvisorySourceLocation & {
  readonly skipped: SkippedList;
  readonly collected: NuGet[];
};

/** Yields advisories about npm packages, and collects those about NuGet packages. */
async function* sorted<NuGet, Npm>(
  readings: Readings<NuGet, Npm>,
  { name, location, skipped, collected }: Sorting<NuGet>,
): AsyncGenerator<Npm> {
  let isEmpty = true;
  for await (const { nuget, npm, problems } of readings) {
    skipped.add(...problems);
    for (const advisory of nuget) {
      if (collected.length === COLLECTED_MAX) {
        throw new TooManyAdvisoriesError(name, "NuGet", COLLECTED_MAX);
      }
      collected.push(advisory);
    }
    if (nuget.length + npm.length > 0) isEmpty = false;
    yield* npm;
  }
  if (!isEmpty) return;
  const [reason] = skipped.list().reasons;
  throw new AdvisorySourceError(
    `${location} has no advisory about a NuGet or npm package` +
      `${reason === undefined ? "" : ` (${reason})`}. What was imported from it before is kept.`,
  );
}

function sumOf(one: Counted, other: Counted): Counted {
  return {
    added: one.added + other.added,
    removed: one.removed + other.removed,
    total: one.total + other.total,
  };
}

/** The operator can fix failures of the file system. */
function toSourceError(error: unknown, location: string): unknown {
  const isOfFiles = error instanceof Error && "syscall" in error && "path" in error;
  if (!isOfFiles) return error;
  return new AdvisorySourceError(`${location} cannot be read: ${error.message}.`, { cause: error });
}
