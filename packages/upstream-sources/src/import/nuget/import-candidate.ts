import type { Caller } from "@sealhouse/request-types";
import { isNuGetError, lowerId, lowerVersion, NuGetError } from "@sealhouse/nuget-protocol";
import type { Origin, SymbolCatalog } from "@sealhouse/nuget-protocol";
import type {
  PackagePast,
  PublishOutcome,
  PublishPorts,
  PublishSymbolsOutcome,
} from "@sealhouse/nuget-protocol/package";
import { publish, publishSymbols } from "@sealhouse/nuget-protocol/package";
import type { ImportOutcome } from "../report.ts";
import type { Candidate, OpenCandidate } from "./candidate.ts";
import { isSourceError } from "../../source-error.ts";

/** The ports that an import writes to: those of a push. */
export type NuGetImportPorts = PublishPorts & { readonly symbols: SymbolCatalog };

export type CandidateOptions = {
  readonly caller: Caller;
  readonly now: () => Date;
  /** Retention skips `Mirrored` packages. */
  readonly origin: Origin;
  readonly dryRun: boolean;
  readonly maxBytes: number | undefined;
  readonly signal: AbortSignal;
};

const ATTEMPTS_MAX = 3;

/** Imports one candidate with all checks of a push, unless the feed has it. Throws errors of the
 * feed itself, and when the signal aborts. */
export async function importCandidate(
  ports: NuGetImportPorts,
  candidate: Candidate,
  options: CandidateOptions,
): Promise<ImportOutcome> {
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      const present = await findPresent(ports, candidate);
      if (present) return present;
      return await importOnce(ports, candidate, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (isNuGetError(error))
        return { status: "refused", reason: error.message, kind: error.code };
      if (!isSourceError(error)) throw error;
      if (attempt === ATTEMPTS_MAX) return { status: "failed", reason: error.message };
    }
  }
}

async function importOnce(
  ports: NuGetImportPorts,
  candidate: Candidate,
  options: CandidateOptions,
): Promise<ImportOutcome> {
  if (options.dryRun) {
    if (candidate.kind === "symbols" && !candidate.problems) return { status: "none" };
    const problems = (await candidate.problems?.()) ?? [];
    if (problems.length > 0)
      return { status: "refused", reason: problems.join(" "), kind: "invalid" };
    return { status: "importable", warnings: [] };
  }
  await using opened = await candidate.open(options.signal);
  if (!opened && candidate.kind === "symbols") return { status: "none" };
  if (!opened) return { status: "failed", reason: "The source no longer has it." };
  return candidate.kind === "symbols"
    ? symbolsOutcome(await publishSymbols(ports, uploadOf(opened, candidate, options)))
    : packageOutcome(
        await publish(ports, {
          ...uploadOf(opened, candidate, options),
          now: options.now(),
          past: await pastOf(candidate, options),
          isForeign: true,
        }),
      );
}

/** Ignores a publish time in the future: the clock of its source is wrong. */
async function pastOf(
  candidate: Candidate,
  { origin, now, signal }: CandidateOptions,
): Promise<PackagePast> {
  const { publishedAt, ...past } = await candidate.past(signal);
  const isPast = publishedAt !== undefined && publishedAt <= now();
  return { origin, ...past, ...(isPast && { publishedAt }) };
}

function uploadOf(
  { body }: OpenCandidate,
  { identity }: Candidate,
  { caller, maxBytes, signal }: CandidateOptions,
) {
  // A feed must not return another package than the requested one.
  const allow = async (id: string, version: string): Promise<undefined> => {
    const isSameId = lowerId(identity?.id ?? id) === lowerId(id);
    const isSameVersion = lowerVersion(identity?.version ?? version) === lowerVersion(version);
    if (isSameId && isSameVersion) return undefined;
    const requested = `${identity?.id} ${identity?.version}`;
    throw new NuGetError("refused", { problems: [`It is ${id} ${version}, not ${requested}.`] });
  };
  return { body, caller, maxBytes, signal, allow };
}

async function findPresent(
  { lookup, symbols }: NuGetImportPorts,
  { kind, identity, sha256 }: Candidate,
): Promise<ImportOutcome | undefined> {
  const version = identity && lowerVersion(identity.version);
  if (version === undefined) return undefined;
  const id = lowerId(identity?.id ?? "");
  if (kind === "symbols") {
    return (await symbols.findPackage(id, version)) && { status: "exists" };
  }
  const present = await lookup.find(id, version);
  if (!present) return undefined;
  if (sha256 === undefined || present.blob.sha256 === sha256) return { status: "exists" };
  return {
    status: "refused",
    reason: "This version exists with other bytes.",
    kind: "other-bytes",
  };
}

function packageOutcome(outcome: PublishOutcome): ImportOutcome {
  switch (outcome.status) {
    case "published":
      return { status: "imported", warnings: outcome.warnings };
    case "exists":
      return { status: "exists" };
    case "deleted": {
      const day = outcome.deletedAt.toISOString().slice(0, 10);
      return {
        status: "refused",
        reason: `It was deleted from this feed on ${day}.`,
        kind: "deleted",
      };
    }
    case "mirrored": {
      const { id, source } = outcome;
      const reason = `It comes from the package source "${source}"; release the id first:`;
      return {
        status: "refused",
        reason: `${reason} sealhouse source release nuget ${id}`,
        kind: "mirrored",
      };
    }
    case "invalid":
      return { status: "refused", reason: outcome.problems.join(" "), kind: "invalid" };
    case "refused":
      return { status: "refused", reason: outcome.reason };
    case "failed":
      return { status: "failed", reason: outcome.reason };
  }
}

function symbolsOutcome(outcome: PublishSymbolsOutcome): ImportOutcome {
  switch (outcome.status) {
    case "published":
      return { status: "imported", warnings: [] };
    case "absent": {
      const { id, version } = outcome;
      return {
        status: "refused",
        reason: `${id} ${version} is not in this feed.`,
        kind: "no-package",
      };
    }
    case "invalid":
      return { status: "refused", reason: outcome.problems.join(" "), kind: "invalid" };
  }
}
