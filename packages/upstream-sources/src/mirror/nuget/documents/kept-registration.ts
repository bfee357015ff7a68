import type { RegisteredVersion } from "@sealhouse/nuget-protocol/client";
import { lowerVersion } from "@sealhouse/nuget-protocol";

/** A version as its source registers it, with the times that this registry knows. */
export type KeptVersion = Omit<RegisteredVersion, "packageContent" | "catalogEntry"> & {
  /** Its catalog leaf. */
  readonly catalogEntry?: URL;
  /** When the version was first seen here; only where the source tells no time. */
  readonly firstSeenAt?: Date;
};

/** A version as JSON. */
type Saved = Omit<KeptVersion, "publishedAt" | "firstSeenAt" | "catalogEntry"> & {
  readonly publishedAt?: string;
  readonly firstSeenAt?: string;
  readonly catalogEntry?: string;
};

/**
 * Adds the known times: sources hide the time of an unlisted version, and some tell none at all.
 * The earliest time that the source has ever told counts.
 */
export function withKnownTimes(
  versions: readonly RegisteredVersion[],
  before: readonly KeptVersion[],
  now: Date,
): readonly KeptVersion[] {
  const known = new Map(before.map((kept) => [lowerVersion(kept.version), kept]));
  return versions.map((registered) => {
    const { packageContent: _address, publishedAt: told, ...version } = registered;
    const earlier = known.get(lowerVersion(version.version));
    const publishedAt = earliest(told, earlier?.publishedAt);
    if (publishedAt) return { ...version, publishedAt };
    return { ...version, firstSeenAt: earlier?.firstSeenAt ?? now };
  });
}

export function savedRegistration(versions: readonly KeptVersion[]): Uint8Array {
  return Buffer.from(JSON.stringify({ versions }));
}

/** Reads what `savedRegistration` made. */
export function readRegistration(bytes: Uint8Array): readonly KeptVersion[] {
  const { versions } = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly versions: readonly Saved[];
  };
  return versions.map(({ publishedAt, firstSeenAt, catalogEntry, ...rest }) => ({
    ...rest,
    ...(publishedAt !== undefined && { publishedAt: new Date(publishedAt) }),
    ...(firstSeenAt !== undefined && { firstSeenAt: new Date(firstSeenAt) }),
    ...(catalogEntry !== undefined && { catalogEntry: new URL(catalogEntry) }),
  }));
}

function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
