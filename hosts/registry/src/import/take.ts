import { lowerId, lowerVersion, NuGetError } from "@sealhouse/nuget-protocol";
import type { Caller, Origin, SymbolCatalog } from "@sealhouse/nuget-protocol";
import type {
  PackagePast,
  PublishOutcome,
  PublishPorts,
  PublishSymbolsOutcome,
} from "@sealhouse/nuget-protocol/package";
import { publish, publishSymbols } from "@sealhouse/nuget-protocol/package";
import type { Candidate, OpenCandidate } from "./candidate.ts";
import { SourceError } from "./candidate.ts";

/** What became of one candidate. */
export type Taken =
  /** `wanted`: a dry run would have taken it. */
  | { readonly status: "imported" | "wanted"; readonly warnings: readonly string[] }
  | { readonly status: "present" }
  /** There are no symbols. */
  | { readonly status: "none" }
  /** It will not be taken however often it is tried. */
  | { readonly status: "refused"; readonly reason: string }
  /** Another attempt may go better. */
  | { readonly status: "failed"; readonly reason: string };

export type TakePorts = PublishPorts & { readonly symbols: SymbolCatalog };

export type TakeOptions = {
  readonly caller: Caller;
  readonly now: () => Date;
  /** `Mirrored` keeps what is imported away from retention. */
  readonly origin: Origin;
  readonly dryRun: boolean;
  readonly maxBytes: number | undefined;
  readonly signal: AbortSignal;
};

const ATTEMPTS_MAX = 3;

/** Takes one candidate through everything a push goes through, unless it is in the feed already.
 * Throws only what is wrong with the feed itself, and when the signal aborts. */
export async function take(
  ports: TakePorts,
  candidate: Candidate,
  options: TakeOptions,
): Promise<Taken> {
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      if (await isPresent(ports, candidate)) return { status: "present" };
      return await takeOnce(ports, candidate, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof NuGetError) return { status: "refused", reason: error.message };
      if (!(error instanceof SourceError)) throw error;
      if (attempt === ATTEMPTS_MAX) return { status: "failed", reason: error.message };
    }
  }
}

async function takeOnce(
  ports: TakePorts,
  candidate: Candidate,
  options: TakeOptions,
): Promise<Taken> {
  if (options.dryRun) {
    if (candidate.kind === "symbols" && !candidate.problems) return { status: "none" };
    const problems = (await candidate.problems?.()) ?? [];
    if (problems.length > 0) return { status: "refused", reason: problems.join(" ") };
    return { status: "wanted", warnings: [] };
  }
  await using opened = await candidate.open(options.signal);
  if (!opened && candidate.kind === "symbols") return { status: "none" };
  if (!opened) return { status: "failed", reason: "The source does not have it any more." };
  return candidate.kind === "symbols"
    ? takenSymbols(await publishSymbols(ports, uploadOf(opened, candidate, options)))
    : takenPackage(
        await publish(ports, {
          ...uploadOf(opened, candidate, options),
          now: options.now(),
          past: await pastOf(candidate, options),
        }),
      );
}

/** A time that is still to come is a wrong clock's. */
async function pastOf(
  candidate: Candidate,
  { origin, now, signal }: TakeOptions,
): Promise<PackagePast> {
  const { publishedAt, ...past } = await candidate.past(signal);
  const isPast = publishedAt !== undefined && publishedAt <= now();
  return { ...past, origin, ...(isPast && { publishedAt }) };
}

function uploadOf(
  { body }: OpenCandidate,
  { named }: Candidate,
  { caller, maxBytes, signal }: TakeOptions,
) {
  // Who asks another feed for one package must not be given a different one.
  const allow = async (id: string, version: string) => {
    const isNamed = lowerId(named?.id ?? id) === lowerId(id);
    if (isNamed && lowerVersion(named?.version ?? version) === lowerVersion(version)) return;
    const wanted = `${named?.id} ${named?.version}`;
    throw new NuGetError("refused", { problems: [`It is ${id} ${version}, not ${wanted}.`] });
  };
  return { body, caller, maxBytes, signal, allow };
}

async function isPresent(
  { lookup, symbols }: TakePorts,
  { kind, named }: Candidate,
): Promise<boolean> {
  const version = named && lowerVersion(named.version);
  if (version === undefined) return false;
  const id = lowerId(named?.id ?? "");
  const there = kind === "symbols" ? symbols.findPackage(id, version) : lookup.find(id, version);
  return (await there) !== undefined;
}

function takenPackage(outcome: PublishOutcome): Taken {
  switch (outcome.status) {
    case "published":
      return { status: "imported", warnings: outcome.warnings };
    case "duplicate":
      return { status: "present" };
    case "deleted": {
      const day = outcome.deletedAt.toISOString().slice(0, 10);
      return { status: "refused", reason: `It was deleted from this feed on ${day}.` };
    }
    case "invalid":
      return { status: "refused", reason: outcome.problems.join(" ") };
    case "refused":
      return { status: "refused", reason: outcome.reason };
    case "failed":
      return { status: "failed", reason: outcome.reason };
  }
}

function takenSymbols(outcome: PublishSymbolsOutcome): Taken {
  switch (outcome.status) {
    case "published":
      return { status: "imported", warnings: [] };
    case "absent": {
      const { id, version } = outcome;
      return { status: "refused", reason: `${id} ${version} is not in this feed.` };
    }
    case "invalid":
      return { status: "refused", reason: outcome.problems.join(" ") };
  }
}
