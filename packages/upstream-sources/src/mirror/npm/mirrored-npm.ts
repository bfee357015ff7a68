import { adoptVersion, isNpmError, parseOldPackageName } from "@sealhouse/npm-protocol";
import type {
  AdoptPorts,
  AnnouncedKey,
  Attestation,
  NpmLookup,
  NpmPackage,
  NpmPast,
  NpmSearch,
  NpmUpstream,
} from "@sealhouse/npm-protocol";
import type { NpmClient, RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";
import type { Caller } from "@sealhouse/request-types";
import type { PackageSource } from "../../sources/package-source.ts";
import type { OpenedFile } from "../files/arrivals.ts";
import { rememberClients } from "../known-clients.ts";
import type { FoundAtSource, Mirror } from "../mirror.ts";
import { knownRefusals } from "../known-refusals.ts";
import type { RefusedVersions } from "../known-refusals.ts";
import { createAllowHit, createAllowStoredHit } from "./packuments/allow-hit.ts";
import { mirroredPast } from "./mirrored-past.ts";
import { isInstallable, mirroredPackage } from "./packuments/mirrored-package.ts";
import { mirroredSearch, shownSearch } from "./mirrored-search.ts";
import type { MirroredSearchParts } from "./mirrored-search.ts";
import { npmClientOf, packumentAsk, readPackument } from "./packuments/npm-asks.ts";
import { createNpmNames } from "./packuments/npm-names.ts";
import { createNpmPolicy } from "./policy/npm-policy.ts";
import type { FastLane } from "../../policy/fast-lane.ts";
import type { NpmPolicy, NpmPolicyParts } from "./policy/npm-policy.ts";
import { createSourceAdvisories } from "./policy/source-advisories.ts";
import { createKeyKeeper, keptAttestations, keptKeys } from "./npm-statements.ts";

/** Parts of the mirror of npm packages. */
export type MirroredNpmParts = {
  readonly mirror: Mirror;
  readonly lookup: NpmLookup;
  readonly past: NpmPast;
  readonly search: NpmSearch;
  /** Undefined = search asks no source. */
  readonly upstreamSearch: Pick<MirroredSearchParts, "timeoutMs" | "mergeStrategy"> | undefined;
  /** Whether search shows packages that were fetched. */
  readonly includesMirrored: boolean;
  readonly adopt: AdoptPorts;
  /** The caller of the events of fetched versions. */
  readonly caller: Caller;
  /** Size of a tarball in bytes. */
  readonly tarballBytesMax: number;
  readonly now: () => Date;
  readonly policy: Omit<NpmPolicyParts, "now" | "fastLane"> & { readonly fastLane?: FastLane };
};

/** Packages of other npm registries in addition to those of this one. */
export type MirroredNpm = {
  readonly lookup: NpmLookup;
  readonly past: NpmPast;
  readonly search: NpmSearch;
  readonly upstream: NpmUpstream;
  readonly refused: RefusedVersions;
};

/**
 * Adds packages of other registries to a lookup. Packages that were first published here come from
 * `lookup` alone. Documents come from the source of a package, so that a version which the source
 * has removed is no longer resolved; tarballs are fetched at the first request, and stay.
 */
export function mirroredNpm(parts: MirroredNpmParts): MirroredNpm {
  const { mirror, lookup, now } = parts;
  const clientOf = rememberClients((source) => npmClientOf(source, mirror));
  const keepKeys = createKeyKeeper(mirror, clientOf);

  const find = (name: string, version?: string): Promise<FoundAtSource | "own" | "absent"> =>
    mirror.findFirst({ protocol: "npm", name }, (source) =>
      packumentAsk(clientOf(source), {
        source,
        name,
        ...(version !== undefined && { version }),
      }),
    );

  const policy = createNpmPolicy({ ...parts.policy, now });
  const deniesRemoved = () => hasStrictSource(mirror);
  const names = createNpmNames({ find, lookup, policy, deniesRemoved, mirror, now });

  /** Undefined for packages that do not come from a source. */
  const findMirrored = async (name: string): Promise<NpmPackage | undefined> => {
    const found = await find(name);
    if (typeof found === "string") return undefined;
    const remote = readPackument(await found.answer.bytes(), name);
    keepKeys(found.source, remote);
    return mirroredPackage(remote, await lookup.find(name), found.answer.checkedAt);
  };
  const hasSources = async () => (await mirror.enabled("npm")).length > 0;

  return {
    refused: knownRefusals(mirror, "npm", (name) => names.refused(name)),
    past: mirroredPast(parts.past, {
      findMirrored,
      kept: allowedKept(parts.past, policy),
      hasSources,
    }),
    search: searchOf(parts, { clientOf, policy }),
    lookup: lookupOf(parts, { find, names, keepKeys }),
    upstream: {
      revise: (name) => names.revise(name),
      standIn: (name) => mirror.standIns.of({ protocol: "npm", name }),
      tarball: tarballAtSource(parts, { clientOf, find, names }),
      attestations: (name, version): Promise<readonly Attestation[]> =>
        keptAttestations(mirror, clientOf, { name, version }),
      shadowed: (name) =>
        mirror.shadowed({ protocol: "npm", name }, (source) =>
          packumentAsk(clientOf(source), { source, name }),
        ),
      advisories: createSourceAdvisories({ mirror, clientOf, now }),
      keys: (): Promise<readonly AnnouncedKey[]> => keptKeys(mirror, clientOf),
    },
  };
}

/** Looks packages up here and at their sources. */
function lookupOf(
  { mirror, lookup }: MirroredNpmParts,
  from: {
    readonly find: TarballParts["find"];
    readonly names: Pick<ReturnType<typeof createNpmNames>, "read" | "requireNotDenied">;
    readonly keepKeys: ReturnType<typeof createKeyKeeper>;
  },
): NpmLookup {
  const { find, names, keepKeys } = from;
  /** A request that may not ask the source of a package gets nothing of it, not a part. */
  const isLeftOut = async (name: string) =>
    !mirror.isForEveryone() &&
    (await mirror.locate({ protocol: "npm", name })).status === "sources";
  return {
    async find(name) {
      const at = await find(name);
      if (at === "absent" && (await isLeftOut(name))) return undefined;
      const { found, remote } = await names.read(name, at);
      if (typeof at !== "string" && remote) keepKeys(at.source, remote);
      return found;
    },
    async has(name) {
      const { status } = await mirror.locate({ protocol: "npm", name });
      return status === "sources" || lookup.has(name);
    },
    async tarball(name, version) {
      if (await isLeftOut(name)) return undefined;
      const stored = await lookup.tarball(name, version);
      if (stored) await names.requireNotDenied(name, version);
      return stored;
    },
  };
}

type TarballParts = {
  readonly clientOf: (source: PackageSource) => NpmClient;
  readonly find: (name: string, version?: string) => Promise<FoundAtSource | "own" | "absent">;
  readonly names: Pick<ReturnType<typeof createNpmNames>, "requireAllowed">;
};

/** Fetches tarballs that are not here yet. */
function tarballAtSource(
  parts: MirroredNpmParts,
  { clientOf, find, names }: TarballParts,
): NpmUpstream["tarball"] {
  const { mirror } = parts;
  return async (name, version) => {
    const at = await find(name, version);
    if (typeof at === "string") return undefined;
    const fixes = await names.requireAllowed(name, version, at);
    const remote = readPackument(await at.answer.bytes(), name);
    const listed = remote.versions.find((candidate) => candidate.version === version);
    // Nothing was decided about a version that documents do not show.
    if (!listed || !isInstallable(name, listed)) return undefined;
    // Clients check the statements of the versions that they have installed.
    if (listed.dist.hasAttestations) {
      keptAttestations(mirror, clientOf, { name, version }).catch(() => undefined);
    }
    const client = clientOf(at.source);
    return fetchTarball(parts, { client, source: at.source, remote, version: listed, fixes });
  };
}

/** Whether a source refuses the files of versions that it has removed. */
async function hasStrictSource(mirror: Pick<Mirror, "enabled">): Promise<boolean> {
  return (await mirror.enabled("npm")).some(({ settings }) => settings.onRemoved === "Deny");
}

function searchOf(
  parts: MirroredNpmParts,
  of: Pick<MirroredSearchParts, "clientOf"> & { readonly policy: NpmPolicy },
): NpmSearch {
  const { mirror, lookup, search, upstreamSearch, includesMirrored } = parts;
  const allowStoredHit = createAllowStoredHit({ lookup, ...of });
  const local = shownSearch(search, { mirror, includesMirrored, allowStoredHit });
  if (!upstreamSearch) return local;
  const allowHit = createAllowHit({ mirror, lookup, ...of });
  return mirroredSearch(local, { mirror, allowHit, ...of, ...upstreamSearch });
}

type WantedTarball = {
  readonly client: NpmClient;
  readonly source: PackageSource;
  readonly remote: RemotePackument;
  readonly version: RemoteVersion;
  /** The advisory without which it would be held back. */
  readonly fixes: string | undefined;
};

async function fetchTarball(
  parts: MirroredNpmParts,
  wanted: WantedTarball,
): ReturnType<NpmUpstream["tarball"]> {
  const { mirror, lookup } = parts;
  const {
    source,
    remote,
    version: { version, dist },
  } = wanted;
  const { name } = remote;
  const keep = async (body: AsyncIterable<Uint8Array>) => {
    const outcome = await keepTarball(parts, wanted, body);
    if (outcome === "kept" && wanted.fixes !== undefined) {
      const admitted = { protocol: "npm", name, version, source: source.name } as const;
      await parts.policy.fastLane?.note({ ...admitted, advisory: wanted.fixes });
    }
    return outcome;
  };
  const answer = await mirror.arrivals.fetch({
    key: `npm ${name}@${version}`,
    source: source.name,
    maxBytes: source.settings.maxFileBytes,
    isKept: async () => (await lookup.tarball(name, version)) !== undefined,
    open: (signal) =>
      mirror.calls.run(source, signal, (callSignal) =>
        openTarball(wanted, { maxBytes: parts.tarballBytesMax, signal: callSignal }),
      ),
    onRefused: () => mirror.documents.recheck(packumentAsk(wanted.client, { source, name })),
    ...(source.strategy !== "ProxyOnly" && mirror.isForEveryone() && { keep }),
  });
  switch (answer.status) {
    case "absent":
      return undefined;
    case "kept":
      return { status: "kept" };
    case "arriving": {
      const etag = (dist.integrity ?? dist.shasum ?? "").replaceAll(/[^\w+/=-]/g, "");
      return { status: "arriving", content: answer.content, etag };
    }
  }
}

async function openTarball(
  { client, version: { dist } }: WantedTarball,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<OpenedFile | undefined> {
  return client.tarball(dist, options);
}

/**
 * Takes a tarball in like a publish. A tarball with the right hash that the rules of this registry
 * refuse is passed on, and not kept: another registry has published it.
 */
async function keepTarball(
  { adopt, caller, now, tarballBytesMax }: MirroredNpmParts,
  { source, remote, version }: WantedTarball,
  body: AsyncIterable<Uint8Array>,
): Promise<"kept" | "passed"> {
  const name = parseOldPackageName(remote.name);
  if (!name) return "passed";
  const foreign = {
    name,
    version: version.version,
    manifest: version.manifest,
    body,
    publisher: source.name,
    publishedAt: version.publishedAt ?? now(),
    tags: [...remote.distTags].flatMap(([tag, to]) => (to === version.version ? [tag] : [])),
  };
  const options = { caller, now: now(), tarballBytesMax, mirroredFrom: source.name };
  try {
    const { outcome } = await adoptVersion(adopt, foreign, options);
    return outcome.status === "published" ||
      outcome.status === "replayed" ||
      outcome.status === "exists"
      ? "kept"
      : "passed";
  } catch (error) {
    if (isNpmError(error)) return "passed";
    throw error;
  }
}

/** Views follow the current rules, also for what was unpublished. */
function allowedKept(
  { kept }: Pick<NpmPast, "kept">,
  policy: Pick<NpmPolicy, "rules" | "judge">,
): NpmPast["kept"] {
  return async (name, time, wanted) => {
    const found = await kept(name, time, wanted);
    if (found.length === 0) return found;
    const versions = found.map(({ version }) => version);
    const whole = { name, revision: 0, createdAt: time, modifiedAt: time, distTags: {}, versions };
    const judged = { found: whole, undated: [] };
    const { refused } = await policy.judge(await policy.rules.current(), judged);
    return found.filter(({ version }) => !refused.has(version.version));
  };
}
