import type {
  AdvisoryLookup,
  CertificateList,
  DependentsLookup,
  NuGetUpstream,
  PackageLookup,
  PackagePast,
  PackageRecord,
  PackageSearch,
} from "@sealhouse/nuget-protocol";
import { lowerVersion } from "@sealhouse/nuget-protocol";
import type { PublishPorts } from "@sealhouse/nuget-protocol/package";
import type { Caller } from "@sealhouse/request-types";
import { knownRefusals } from "../known-refusals.ts";
import type { RefusedVersions } from "../known-refusals.ts";
import type { FastLane } from "../../policy/fast-lane.ts";
import type { Mirror } from "../mirror.ts";
import { createIdJudgements } from "./policy/id-judgements.ts";
import { createIdStates } from "./policy/id-states.ts";
import type { IdStates } from "./policy/id-states.ts";
import { createLocalCache } from "./files/local-cache.ts";
import type { LocalCache } from "./files/local-cache.ts";
import { mirroredAdvisories } from "./advisories/mirrored-advisories.ts";
import { mirroredLookup } from "./mirrored-lookup.ts";
import { mirroredCertificates } from "./mirrored-certificates.ts";
import { mirroredPast } from "./mirrored-past.ts";
import { mirroredSearch } from "./mirrored-search.ts";
import type { MirroredSearchParts } from "./mirrored-search.ts";
import { createNuGetPolicy } from "./policy/nuget-policy.ts";
import type { NuGetPolicy, NuGetPolicyParts } from "./policy/nuget-policy.ts";
import { createPackageArrivals } from "./files/package-arrivals.ts";
import { createPackageDocuments } from "./documents/package-documents.ts";
import type { PackageDocuments } from "./documents/package-documents.ts";
import type { KeptDocuments } from "../ports.ts";
import { createRefusedFiles } from "./files/refused-files.ts";
import { createSourceClients } from "./documents/source-clients.ts";
import { createSourceDocuments } from "./documents/source-documents.ts";
import type { OnSourceRemark } from "./documents/source-documents.ts";
import { createToldVersions } from "./documents/told-versions.ts";

/** Parts of the mirror of NuGet packages. */
export type MirroredNuGetParts = {
  readonly mirror: Mirror;
  readonly kept: Pick<KeptDocuments, "bytes" | "put">;
  /** Ports of the feed, without its sources. */
  readonly ports: PublishPorts;
  readonly past: PackagePast;
  /** The caller of the events of fetched versions. */
  readonly caller: Caller;
  readonly certificates: CertificateList;
  readonly advisories: AdvisoryLookup;
  readonly search: PackageSearch & DependentsLookup;
  /** Undefined = search asks no source. */
  readonly upstreamSearch: Pick<MirroredSearchParts, "timeoutMs" | "mergeStrategy"> | undefined;
  /** Whether search shows packages that were fetched. */
  readonly includesMirrored: boolean;
  /** Undefined = none. */
  readonly localCache?: LocalCache | undefined;
  /** Whether clients get packages unchanged; otherwise packages are signed first. */
  readonly isAsReceived: boolean;
  /** Size of one package file; undefined = no own limit. */
  readonly packageBytesMax: number | undefined;
  readonly onRemark: OnSourceRemark;
  readonly now: () => Date;
  readonly policy: Omit<NuGetPolicyParts, "now" | "fastLane"> & { readonly fastLane?: FastLane };
};

/** Packages of the feed and of its sources. */
export type MirroredNuGet = {
  /** Answers for both. */
  readonly lookup: PackageLookup;
  readonly past: PackagePast;
  readonly certificates: CertificateList;
  readonly advisories: AdvisoryLookup;
  readonly search: PackageSearch & DependentsLookup;
  readonly upstream: NuGetUpstream;
  readonly refused: RefusedVersions;
};

/** Adds packages of other feeds to the lookups of this feed. */
export function mirroredNuGet(parts: MirroredNuGetParts): MirroredNuGet {
  const { mirror, ports, now } = parts;
  const clientOf = createSourceClients(mirror, now);
  const sourceDocuments = createSourceDocuments(clientOf, { now, onRemark: parts.onRemark });
  const documents = createPackageDocuments(mirror, sourceDocuments);
  const hasSources = async () => (await mirror.enabled("nuget")).length > 0;
  const policy = createNuGetPolicy({ ...parts.policy, now });
  const told = createToldVersions(mirror, sourceDocuments);
  const judgements = createIdJudgements({ policy, told, lookup: ports.lookup, now });
  const states = createIdStates({ hasSources, documents, judgements, policy, mirror, now });
  const refusedFiles = createRefusedFiles({ kept: parts.kept, now });
  const of = { documents, states, refusedFiles };
  return {
    refused: knownRefusals(mirror, "nuget", (id) => states.refused(id)),
    lookup: mirroredLookup(ports.lookup, {
      ...of,
      isForEveryone: () => mirror.isForEveryone(),
      deniesRemoved: async () =>
        (await mirror.enabled("nuget")).some(({ settings }) => settings.onRemoved === "Deny"),
    }),
    past: mirroredPast(parts.past, {
      records: (id) => documents.records(id),
      kept: allowedKept(parts.past, policy),
      hasSources,
    }),
    certificates: mirroredCertificates(parts.certificates, { mirror, clientOf }),
    advisories: mirroredAdvisories(parts.advisories, { mirror, clientOf, now }),
    search: searchOf(parts, { clientOf, judgeHit: judgements.ofHit }),
    upstream: {
      revise: states.revise,
      standIn: (id) => mirror.standIns.of({ protocol: "nuget", name: id }),
      package: createPackageArrivals({
        ...parts,
        ...of,
        recheck(source, id) {
          mirror.documents.recheck(sourceDocuments.versions(source, id));
          mirror.documents.recheck(sourceDocuments.registration(source, id));
        },
        clientOf,
        isCopied: parts.localCache?.isCopied ?? true,
        findCached: parts.localCache && createLocalCache(parts.localCache),
      }),
      shadowed: (id) =>
        mirror.shadowed({ protocol: "nuget", name: id }, (source) =>
          sourceDocuments.versions(source, id),
        ),
      nuspec: (id, version) => fileOf(of, "nuspec", { id, version }),
      readme: (id, version) => fileOf(of, "readme", { id, version }),
    },
  };
}

/** Views follow the current rules, also for what was deleted. */
function allowedKept(
  { kept }: Pick<PackagePast, "kept">,
  policy: Pick<NuGetPolicy, "rules" | "judge">,
): PackagePast["kept"] {
  return async (id, time, version) => {
    const found = await kept(id, time, version);
    if (found.length === 0) return found;
    const stored = found.map(({ record }) => record);
    const { refused } = await policy.judge(await policy.rules.current(), { id, stored });
    return found.filter(({ record }) => !refused.has(numberOf(record)));
  };
}

function numberOf({ version }: PackageRecord): string {
  return lowerVersion(version) ?? version.toLowerCase();
}

function searchOf(
  { mirror, search, upstreamSearch, includesMirrored }: MirroredNuGetParts,
  { clientOf, judgeHit }: Pick<MirroredSearchParts, "clientOf" | "judgeHit">,
): MirroredNuGet["search"] {
  const local = includesMirrored ? search : ownSearch(search);
  if (!upstreamSearch) return local;
  return mirroredSearch(local, { mirror, clientOf, judgeHit, ...upstreamSearch });
}

/** Search without the packages of sources. */
function ownSearch(search: MirroredNuGet["search"]): MirroredNuGet["search"] {
  return {
    search: (query) => search.search({ ...query, ownOnly: true }),
    idsStartingWith: (query) => search.idsStartingWith({ ...query, ownOnly: true }),
    dependents: (id, page) => search.dependents(id, { ...page, ownOnly: true }),
  };
}

/** A file of a version that a source lists. */
async function fileOf(
  {
    documents,
    states,
  }: { readonly documents: PackageDocuments; readonly states: Pick<IdStates, "requireAllowed"> },
  kind: "nuspec" | "readme",
  named: { readonly id: string; readonly version: string },
): Promise<Uint8Array | undefined> {
  const found = await documents.versions(named.id, named.version);
  if (found.status !== "found") return undefined;
  const isListed = found.value.some(({ version }) => version.toLowerCase() === named.version);
  if (!isListed) return undefined;
  await states.requireAllowed({ id: named.id, document: "versions", at: found }, named.version);
  return documents.file(found.source, kind, named);
}
