import { lowerVersion } from "@sealhouse/nuget-protocol";
import type { PackageLookup } from "@sealhouse/nuget-protocol";
import { NuGetClientError } from "@sealhouse/nuget-protocol/client";
import type {
  NuGetClient,
  PackageDownload,
  RegisteredVersion,
} from "@sealhouse/nuget-protocol/client";
import type { PackagePast } from "@sealhouse/nuget-protocol/package";
import type { Candidate, CandidateGroup, OpenCandidate } from "./candidate.ts";
import { fromSource, sourceFailed } from "./candidate.ts";

type FeedParts = {
  readonly client: Pick<
    NuGetClient,
    "versions" | "registration" | "package" | "symbols" | "catalogLeaf"
  >;
  readonly lookup: Pick<PackageLookup, "summaries">;
};

/**
 * All versions of one id of another feed, the unlisted ones too, with what its registration tells:
 * listed or not, since when, deprecated or not.
 */
export function feedGroup(
  parts: FeedParts,
  id: string,
  options: {
    /** Asks for the symbol package of every version, which costs a request each. */
    readonly withSymbols: boolean;
    readonly done: () => void;
  },
): CandidateGroup {
  return {
    label: id,
    done: options.done,
    load: (signal) => load(parts, id, signal).catch(sourceFailed),
    ...(options.withSymbols && {
      loadThen: (signal) => loadSymbols(parts, id, signal).catch(sourceFailed),
    }),
  };
}

async function load(
  { client, lookup }: FeedParts,
  id: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const versions = (await client.versions(id, { signal })) ?? [];
  const here = new Set((await lookup.summaries(id)).map(({ version }) => version.toLowerCase()));
  const isComplete = versions.every((version) => here.has(version));
  // What is here already is not changed, so nobody needs to know more about it.
  const registered = isComplete ? [] : ((await client.registration(id, { signal })) ?? []);
  const told = new Map(registered.map((one) => [lowerVersion(one.version), one]));
  return versions.map((version) => candidateOf(client, { id, version }, told.get(version)));
}

async function loadSymbols(
  { client }: FeedParts,
  id: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const versions = (await client.versions(id, { signal })) ?? [];
  return versions.map((version): Candidate => {
    const named = { id, version };
    return {
      kind: "symbols",
      label: `symbols of ${id} ${version}`,
      named,
      past: async () => ({}),
      open: (whenever) => opened(client.symbols(named, { signal: whenever })),
    };
  });
}

/** Both the asking and the reading may fail. */
async function opened(
  asked: Promise<PackageDownload | undefined>,
): Promise<OpenCandidate | undefined> {
  const found = await asked.catch(sourceFailed);
  if (!found) return undefined;
  const dispose = () => found[Symbol.asyncDispose]();
  return { body: fromSource(found.body), [Symbol.asyncDispose]: dispose };
}

function candidateOf(
  client: FeedParts["client"],
  named: { readonly id: string; readonly version: string },
  told: RegisteredVersion | undefined,
): Candidate {
  return {
    kind: "package",
    label: `${told?.id ?? named.id} ${told?.version ?? named.version}`,
    named,
    past: async (signal) => (told ? pastOf(client, told, signal) : {}),
    open: (signal) => opened(client.package(named, { signal })),
  };
}

async function pastOf(
  client: FeedParts["client"],
  { listed, deprecation, catalogEntry, publishedAt: told }: RegisteredVersion,
  signal: AbortSignal,
): Promise<PackagePast> {
  const publishedAt = told ?? (await createdAt(client, catalogEntry, signal));
  return { listed, ...(deprecation && { deprecation }), ...(publishedAt && { publishedAt }) };
}

/** Some feeds hide when an unlisted version was published; their catalog still tells. */
async function createdAt(
  client: FeedParts["client"],
  leaf: URL | undefined,
  signal: AbortSignal,
): Promise<Date | undefined> {
  try {
    return leaf && (await client.catalogLeaf(leaf, { signal }))?.createdAt;
  } catch (error) {
    signal.throwIfAborted();
    // What stands for the leaf may be anything; then the time is that of the import.
    if (error instanceof NuGetClientError) return undefined;
    throw error;
  }
}
