import type { Caller } from "@sealhouse/request-types";
import { limitedBody } from "./limited-body.ts";
import { packageFrameworks } from "./package-frameworks.ts";
import { isDependencyId, lowerId } from "../notation/package-id.ts";
import type { PackageVersion } from "../notation/package-version.ts";
import type {
  NewPackage,
  NuGetPorts,
  RecordOutcome,
  SealOutcome,
  StagedPackage,
} from "../ports.ts";
import type { Origin } from "../stored-package.ts";
import type { InvalidPackage, ReadPackage } from "./validate-package.ts";
import { validatePackage } from "./validate-package.ts";

export type PublishPorts = Pick<NuGetPorts, "files" | "lookup" | "recorder" | "sealer">;

export type Upload = {
  readonly body: AsyncIterable<Uint8Array>;
  readonly caller: Caller;
  readonly now: Date;
  /**
   * Asked once id and version are known, before anything is signed or kept; throws to refuse.
   * Resolves to the caller with the owners of the name; undefined for `caller`.
   */
  readonly allow: (id: string, version: string) => Promise<Caller | undefined>;
  readonly maxBytes?: number | undefined;
  /** Another feed has accepted the package: a manifest that clients can read is enough. */
  readonly isForeign?: boolean;
  /** Default `never`. */
  readonly overwrites?: Overwrites | undefined;
  /** Facts of the version at its source, for an import; needed when the body has been read. */
  readonly past?: PackagePast | Promise<PackagePast> | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type PackagePast = Pick<NewPackage, "listed" | "origin" | "deprecation" | "mirroredFrom"> & {
  readonly publishedAt?: Date;
};

/** Which versions may be given other bytes once they are there. */
export type Overwrites = "never" | "prerelease" | "always";

export type PublishOutcome =
  | {
      readonly status: "published";
      readonly id: string;
      readonly version: string;
      /** It took the place of a version that was there. */
      readonly replaced: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly status: "exists"; readonly id: string; readonly version: string }
  /** The number belonged to a version that was deleted for good. */
  | {
      readonly status: "deleted";
      readonly id: string;
      readonly version: string;
      readonly deletedAt: Date;
    }
  /** The id belongs to a package source. */
  | { readonly status: "mirrored"; readonly id: string; readonly source: string }
  | InvalidPackage
  | { readonly status: "refused"; readonly reason: string }
  | {
      readonly status: "failed";
      readonly reason: string;
      readonly retryAfterSeconds?: number | undefined;
    };

/**
 * Takes one package into the feed: stage, validate, sign, keep the bytes, and only then name them.
 * Whatever happens before the name leaves nothing but bytes without a name.
 * @throws {NuGetError} `too-large`, or what `allow` throws
 */
export async function publish(ports: PublishPorts, upload: Upload): Promise<PublishOutcome> {
  await using staged = await ports.files.stage(limitedBody(upload.body, upload.maxBytes), {
    hashes: ["sha256", "sha512"],
    remembersHashes: true,
    ...(upload.signal && { signal: upload.signal }),
  });
  const { isForeign = false } = upload;
  const verdict = await validatePackage(staged, undefined, { isForeign });
  if (verdict.status === "invalid") return verdict;
  const { nuspec, version, warnings } = verdict.package;
  const identity = { id: nuspec.id, version: version.normalized };
  const publisher = (await upload.allow(identity.id, identity.version)) ?? upload.caller;

  const overwrite = mayOverwrite(upload.overwrites, version);

  const past = (await upload.past) ?? {};
  const origin = past.origin ?? "Published";
  // Saves the signature; that a race is lost is what the recorder finds out.
  if (!overwrite && (await isTaken(ports.lookup, identity, origin))) {
    await staged.heal?.();
    return { status: "exists", ...identity };
  }
  const outcome = await ports.sealer.seal(sealable(staged), {
    ...identity,
    origin,
    publisher,
  });
  if (outcome.status === "refused" || outcome.status === "failed") return outcome;
  const { warning } = outcome;

  const signing = signingFacts(outcome);
  const what = { staged, read: verdict.package, past, signing, overwrite };
  const recorded = await keepAndName(ports, { ...upload, caller: publisher }, what);
  if (recorded.status !== "recorded") return unrecorded(recorded, identity);
  const { replaced } = recorded;
  const allWarnings = [
    ...warnings,
    ...(warning === undefined ? [] : [warning]),
    ...(replaced ? [replacedWarning(identity)] : []),
  ];
  return { status: "published", ...identity, replaced, warnings: allWarnings };
}

/** A version of a source does not count against a push: the recorder refuses its id. */
async function isTaken(
  lookup: PublishPorts["lookup"],
  { id, version }: { readonly id: string; readonly version: string },
  origin: Origin,
): Promise<boolean> {
  const present = await lookup.find(lowerId(id), version.toLowerCase());
  if (!present) return false;
  return origin !== "Published" || (present.origin ?? "Published") === "Published";
}

function unrecorded(
  recorded: Exclude<RecordOutcome, { readonly status: "recorded" }>,
  identity: { readonly id: string; readonly version: string },
): PublishOutcome {
  switch (recorded.status) {
    case "exists":
      return { status: "exists", ...identity };
    case "tombstone":
      return { status: "deleted", ...identity, deletedAt: recorded.deletedAt };
    case "mirrored":
      return { status: "mirrored", id: identity.id, source: recorded.source };
  }
}

type SigningFacts = Pick<NewPackage, "seal" | "unsignedBecause" | "contentHash">;

function signingFacts(
  outcome: Extract<SealOutcome, { readonly status: "sealed" | "unsealed" }>,
): SigningFacts {
  const { contentHash } = outcome;
  const content = contentHash === undefined ? {} : { contentHash };
  if (outcome.status === "sealed") return { seal: outcome.seal, ...content };
  const { because, warning } = outcome;
  const isFailure = because === "failure" && warning !== undefined;
  return isFailure ? { unsignedBecause: warning, ...content } : content;
}

function mayOverwrite(overwrites: Overwrites = "never", version: PackageVersion): boolean {
  return overwrites === "always" || (overwrites === "prerelease" && version.isPrerelease);
}

function replacedWarning({ id, version }: { readonly id: string; readonly version: string }) {
  return (
    `${id} ${version} was overwritten. Clients that have cached the old file keep ` +
    `it, and lock files that refer to it no longer match.`
  );
}

async function keepAndName(
  { recorder }: PublishPorts,
  { caller, now }: Upload,
  what: {
    readonly staged: StagedPackage;
    readonly read: ReadPackage;
    readonly past: PackagePast;
    readonly signing: SigningFacts;
    readonly overwrite: boolean;
  },
): Promise<RecordOutcome> {
  const { staged, read, past, signing, overwrite } = what;
  const savedBlob = await staged.keep();
  const blob = { key: savedBlob.key, size: savedBlob.size, sha256: savedBlob.sha256 };
  const sha512 = base64Of(staged.digests.sha512);
  // An error here may hide a commit that went through, so the bytes stay; without a name they
  // are swept up later.
  const recorded = await recorder.record(
    {
      ...newPackage(read, now),
      ...past,
      blob,
      sha512,
      ...(!read.isSigned && { contentHash: sha512 }),
      ...signing,
    },
    caller,
    { overwrite },
  );
  if (recorded.status !== "recorded" || recorded.isDuplicate) await savedBlob.discard();
  return recorded;
}

function newPackage(read: ReadPackage, now: Date): Omit<NewPackage, "blob" | "sha512" | "seal"> {
  const { nuspec, version } = read;
  return {
    id: nuspec.id,
    version: version.normalized,
    fullVersion: version.full,
    isPrerelease: version.isPrerelease,
    isSemVer2: read.isSemVer2,
    publishedAt: now,
    details: JSON.stringify(nuspec),
    nuspec: read.nuspecBytes,
    targetFrameworks: packageFrameworks(nuspec.dependencyGroups, read.entryPaths),
    dependencyIds: [
      ...new Set(
        nuspec.dependencyGroups.flatMap(({ dependencies }) =>
          dependencies.filter(({ id }) => isDependencyId(id)).map(({ id }) => id.toLowerCase()),
        ),
      ),
    ],
  };
}

function sealable(staged: StagedPackage) {
  return {
    size: staged.size,
    sha256: staged.digests.sha256,
    hashedUntil: (end: number) => staged.hashedUntil?.(end),
    read: (range?: { readonly start: number; readonly end: number }) => staged.read(range),
  };
}

/** Stages give digests in hex. */
function base64Of(hex: string | undefined): string {
  if (hex === undefined) throw new TypeError("the stage was asked for a SHA-512 and gave none");
  return Buffer.from(hex, "hex").toString("base64");
}
