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

/** Maximum NuGet advisories of one source, which are collected in memory. */
const COLLECTED_MAX = 200_000;

/**
 * Imports a source: its advisories replace those of its last import.
 *
 * @throws {AdvisorySourceError} when the source is not readable, or has no advisory about NuGet or
 * npm, which indicates an unmounted folder or the URL of a web page. The last import remains
 */
export async function importAdvisories<NuGet, Npm>(
  { name, location }: AdvisorySourceLocation,
  options: ImportOptions<NuGet, Npm>,
): Promise<ImportReport> {
  const { readers, recorders, fetch, signal, isByHand = false } = options;
  await using opened = new AsyncDisposableStack();
  const knownSource = (await recorders.nuget.sources()).find((entry) => entry.name === name);
  const last = parseState(knownSource?.state);
  const state = last?.location === location ? last : undefined;
  const skipped = createSkippedList();
  try {
    const source = await readSource(location, { readers, fetch, state, signal, opened });
    if (source.status === "unchanged") {
      await recorders.nuget.checked(name);
      return { status: "unchanged", source: name };
    }
    // One pass serves both protocols. Most advisories are about npm packages, so those are
    // streamed.
    const collected: NuGet[] = [];
    const streamed = sorted(source.readings, { name, location, skipped, collected });
    const npm = await recorders.npm.replace(name, streamed);
    const stateText = formatState({ ...source.state, ...(isByHand && { isByHand }) });
    // Stores the state last, so that an interrupted import runs again.
    const nuget = await recorders.nuget.replace(name, collected, stateText);
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
  // Last, so that a failed removal runs again.
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
      `${reason === undefined ? "" : ` (${reason})`}. The last import remains.`,
  );
}

function sumOf(counts: Counted, other: Counted): Counted {
  return {
    added: counts.added + other.added,
    removed: counts.removed + other.removed,
    total: counts.total + other.total,
  };
}

/** The operator can fix failures of the file system. */
function toSourceError(error: unknown, location: string): unknown {
  const isOfFiles = error instanceof Error && "syscall" in error && "path" in error;
  if (!isOfFiles) return error;
  return new AdvisorySourceError(`Cannot read ${location}: ${error.message}.`, { cause: error });
}
