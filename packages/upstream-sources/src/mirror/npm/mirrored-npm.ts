import { adoptVersion, isNpmError, parseOldPackageName } from "@sealhouse/npm-protocol";
import type {
  AdoptPorts,
  AnnouncedKey,
  Attestation,
  NpmLookup,
  NpmPackage,
  NpmPast,
  NpmUpstream,
  StaleAnswer,
} from "@sealhouse/npm-protocol";
import type { NpmClient, RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";
import type { Caller } from "@sealhouse/request-types";
import type { PackageSource } from "../../sources/package-source.ts";
import type { OpenedFile } from "../arrivals.ts";
import type { FoundAtSource, Mirror } from "../mirror.ts";
import { createNameMemory } from "../name-memory.ts";
import { mirroredPast } from "./mirrored-past.ts";
import { mirroredPackage } from "./mirrored-package.ts";
import { npmClientOf, packumentAsk, readPackument } from "./npm-asks.ts";
import { createKeyKeeper, keptAttestations, keptKeys } from "./npm-statements.ts";

export type MirroredNpmParts = {
  readonly mirror: Mirror;
  readonly lookup: NpmLookup;
  readonly past: NpmPast;
  readonly adopt: AdoptPorts;
  /** The caller of the events of fetched versions. */
  readonly caller: Caller;
  /** Size of a tarball in bytes. */
  readonly tarballBytesMax: number;
  readonly now: () => Date;
};

/** Packages of other npm registries in addition to those of this one. */
export type MirroredNpm = {
  readonly lookup: NpmLookup;
  readonly past: NpmPast;
  readonly upstream: NpmUpstream;
};

/** Time for which the origin of a name is not looked up again. */
const OWN_FOR_MS = 10_000;
const ABSENT_FOR_MS = 5_000;
/** Time until the end of a comparison in the background is noticed. */
const COMPARING_FOR_MS = 1_000;

type Known = { readonly stale?: StaleAnswer };

/**
 * Adds packages of other registries to a lookup. Packages that were first published here come from
 * `lookup` alone. Documents come from the source of a package, so that a version which the source
 * has removed is no longer resolved; tarballs are fetched at the first request, and stay.
 */
export function mirroredNpm(parts: MirroredNpmParts): MirroredNpm {
  const { mirror, lookup, now } = parts;
  const memory = createNameMemory<Known>(() => now().getTime());
  const clientOf = (source: PackageSource) => npmClientOf(source, mirror);
  const keepKeys = createKeyKeeper(mirror, clientOf);

  const find = (name: string, version?: string): Promise<FoundAtSource | "own" | "absent"> =>
    mirror.findFirst({ protocol: "npm", name }, (source) =>
      packumentAsk(clientOf(source), {
        source,
        name,
        ...(version !== undefined && { version }),
      }),
    );

  const revise = async (name: string): Promise<StaleAnswer | undefined> => {
    const found = await find(name);
    const time = now().getTime();
    if (found === "own") memory.set(name, { until: time + OWN_FOR_MS, state: {} });
    else if (found === "absent") memory.set(name, { until: time + ABSENT_FOR_MS, state: {} });
    else {
      const { source, answer } = found;
      const freshUntil = answer.checkedAt.getTime() + source.settings.revalidateAfterMs;
      const stale = answer.staleSince && { source: source.name, since: answer.staleSince };
      const until = Math.max(freshUntil, time + COMPARING_FOR_MS);
      memory.set(name, { until, state: stale ? { stale } : {} });
      return stale;
    }
    return undefined;
  };

  /** Undefined for packages that do not come from a source. */
  const findMirrored = async (name: string): Promise<NpmPackage | undefined> => {
    const found = await find(name);
    if (typeof found === "string") return undefined;
    const remote = readPackument(await found.answer.bytes(), name);
    keepKeys(found.source, remote);
    return mirroredPackage(remote, await lookup.find(name), found.answer.checkedAt);
  };
  const hasSources = async () => (await mirror.upstreams("npm")).length > 0;

  return {
    past: mirroredPast(parts.past, { findMirrored, hasSources }),
    lookup: {
      find: async (name) => (await findMirrored(name)) ?? lookup.find(name),
      async has(name) {
        const { status } = await mirror.locate({ protocol: "npm", name });
        return status === "sources" || lookup.has(name);
      },
      tarball: (name, version) => lookup.tarball(name, version),
    },
    upstream: {
      revise(name) {
        const known = memory.get(name);
        if (!known) return revise(name);
        return known.stale && Promise.resolve(known.stale);
      },
      async tarball(name, version) {
        const found = await find(name, version);
        if (typeof found === "string") return undefined;
        const remote = readPackument(await found.answer.bytes(), name);
        const listed = remote.versions.find((candidate) => candidate.version === version);
        if (!listed) return undefined;
        // Clients check the statements of the versions that they have installed.
        if (listed.dist.hasAttestations) {
          keptAttestations(mirror, clientOf, { name, version }).catch(() => undefined);
        }
        return fetchTarball(parts, { source: found.source, remote, version: listed });
      },
      attestations: (name, version): Promise<readonly Attestation[]> =>
        keptAttestations(mirror, clientOf, { name, version }),
      keys: (): Promise<readonly AnnouncedKey[]> => keptKeys(mirror, clientOf),
    },
  };
}

type WantedTarball = {
  readonly source: PackageSource;
  readonly remote: RemotePackument;
  readonly version: RemoteVersion;
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
  const client = npmClientOf(source, mirror);
  const keep = (body: AsyncIterable<Uint8Array>) => keepTarball(parts, wanted, body);
  const answer = await mirror.arrivals.fetch({
    key: `npm ${name}@${version}`,
    source: source.name,
    isKept: async () => (await lookup.tarball(name, version)) !== undefined,
    open: (signal) =>
      mirror.calls.run(source, signal, (callSignal) =>
        openTarball(client, wanted, { maxBytes: parts.tarballBytesMax, signal: callSignal }),
      ),
    ...(source.strategy !== "ProxyOnly" && { keep }),
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
  client: NpmClient,
  { version: { dist } }: WantedTarball,
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
