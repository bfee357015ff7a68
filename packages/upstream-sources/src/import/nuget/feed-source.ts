import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { Download } from "@sealhouse/http-responses/outgoing";
import { lowerVersion } from "@sealhouse/nuget-protocol";
import type { PackageLookup } from "@sealhouse/nuget-protocol";
import type { NuGetClient, RegisteredVersion } from "@sealhouse/nuget-protocol/client";
import type { PackagePast } from "@sealhouse/nuget-protocol/package";
import type { Candidate, CandidateGroup, OpenCandidate } from "./candidate.ts";
import { fromSource, throwSourceError } from "../../source-error.ts";
import { isUnreadableAnswer } from "../../unreadable-answer.ts";
import { wordsOf } from "../../mirror/calls/source-calls.ts";

type FeedParts = {
  readonly client: Pick<
    NuGetClient,
    "resource" | "versions" | "registration" | "package" | "symbols" | "catalogLeaf"
  >;
  readonly lookup: Pick<PackageLookup, "summaries">;
};

/**
 * Returns all versions of one id of a feed, including unlisted ones, with what its registration
 * tells: publish time, listed or unlisted, deprecated or not.
 */
export function feedGroup(
  parts: FeedParts,
  id: string,
  options: {
    /** Requests the symbol package of every version: one request each. */
    readonly withSymbols: boolean;
    readonly done: () => void;
  },
): CandidateGroup {
  return {
    label: id,
    done: options.done,
    load: (signal, warn) => load(parts, id, { signal, warn }).catch(throwSourceError),
    ...(options.withSymbols && {
      loadThen: (signal) => loadSymbols(parts, id, signal).catch(throwSourceError),
    }),
  };
}

type Loading = {
  readonly signal: AbortSignal;
  readonly warn: Parameters<CandidateGroup["load"]>[1];
};

async function load(
  { client, lookup }: FeedParts,
  id: string,
  loading: Loading,
): Promise<readonly Candidate[]> {
  const { signal } = loading;
  const versions = (await client.versions(id, { signal })) ?? [];
  const present = new Set((await lookup.summaries(id)).map(({ version }) => version.toLowerCase()));
  const isComplete = versions.every((version) => present.has(version));
  // The import does not change versions that exist, so it needs no registration for them.
  const registered = isComplete ? [] : await registrationOf(client, id, loading);
  const byVersion = new Map(
    registered.map((registeredVersion) => [
      lowerVersion(registeredVersion.version),
      registeredVersion,
    ]),
  );
  return versions.map((version) => candidateOf(client, { id, version }, byVersion.get(version)));
}

/** Without a registration, the packages themselves tell all but their listing and their dates. */
async function registrationOf(
  client: FeedParts["client"],
  id: string,
  { signal, warn }: Loading,
): Promise<readonly RegisteredVersion[]> {
  const lost = "All versions count as listed, not deprecated and published now.";
  try {
    const hasRegistrations = (await client.resource("registration", { signal })) !== undefined;
    if (hasRegistrations) return (await client.registration(id, { signal })) ?? [];
    warn(`The feed has no registrations. ${lost}`);
  } catch (error) {
    signal.throwIfAborted();
    if (!isUnreadableAnswer(error)) throw error;
    warn(`The feed ${wordsOf(error)} instead of the registration. ${lost}`);
  }
  return [];
}

async function loadSymbols(
  { client }: FeedParts,
  id: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const versions = (await client.versions(id, { signal })) ?? [];
  return versions.map((version): Candidate => {
    const identity = { id, version };
    return {
      kind: "symbols",
      label: `symbols of ${id} ${version}`,
      identity,
      past: async () => ({}),
      open: (openSignal) => openDownload(client.symbols(identity, { signal: openSignal })),
    };
  });
}

/** Converts failures of the request and of the body. */
async function openDownload(
  request: Promise<Download | undefined>,
): Promise<OpenCandidate | undefined> {
  const download = await request.catch(throwSourceError);
  if (!download) return undefined;
  const dispose = () => download[Symbol.asyncDispose]();
  return { body: fromSource(download.body), [Symbol.asyncDispose]: dispose };
}

function candidateOf(
  client: FeedParts["client"],
  identity: { readonly id: string; readonly version: string },
  registered: RegisteredVersion | undefined,
): Candidate {
  return {
    kind: "package",
    label: `${registered?.id ?? identity.id} ${registered?.version ?? identity.version}`,
    identity,
    past: async (signal) => (registered ? pastOf(client, registered, signal) : {}),
    open: (signal) => openDownload(client.package(identity, { signal })),
  };
}

async function pastOf(
  client: FeedParts["client"],
  { listed, deprecation, catalogEntry, publishedAt: registeredAt }: RegisteredVersion,
  signal: AbortSignal,
): Promise<PackagePast> {
  const publishedAt = registeredAt ?? (await createdAt(client, catalogEntry, signal));
  return { listed, ...(deprecation && { deprecation }), ...(publishedAt && { publishedAt }) };
}

/** Reads the time from the catalog: some feeds hide it in the registration of unlisted versions. */
async function createdAt(
  client: FeedParts["client"],
  leaf: URL | undefined,
  signal: AbortSignal,
): Promise<Date | undefined> {
  try {
    return leaf && (await client.catalogLeaf(leaf, { signal }))?.createdAt;
  } catch (error) {
    signal.throwIfAborted();
    // The leaf's content is optional; without it, the import's time is used.
    if (isCallError(error)) return undefined;
    throw error;
  }
}
