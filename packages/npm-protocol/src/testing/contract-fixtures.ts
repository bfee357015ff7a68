import type { Caller } from "@sealhouse/request-types";
import { createHash } from "node:crypto";
import type { NpmAdvisories, NpmAdvisoryRecorder } from "../advisories/ports.ts";
import type { NpmDependents } from "../dependents/ports.ts";
import type { NpmHistory } from "../history/ports.ts";
import type { NpmPorts } from "../ports.ts";
import type { NewNpmVersion } from "../npm-version.ts";
import type { NpmSigningKeys, UnsignedVersions } from "../signatures/ports.ts";
import type { TrustedPublishers } from "../trust/ports.ts";
import type { TarballRegister } from "./memory-register.ts";
import type { NpmStaging, StagedExpiry } from "../staging/ports.ts";

/** The ports that answer from one database. */
export type NpmCatalog = Pick<
  NpmPorts,
  "lookup" | "recorder" | "lifecycle" | "owners" | "attestations" | "search" | "documents"
> & {
  readonly advisories: NpmAdvisories & NpmAdvisoryRecorder;
  readonly dependents: NpmDependents;
  readonly history: NpmHistory;
  readonly signingKeys: NpmSigningKeys;
  readonly unsigned: UnsignedVersions;
  readonly trustedPublishers: TrustedPublishers;
  readonly staging: NpmStaging & StagedExpiry;
  readonly register: TarballRegister;
};

export const alice: Caller = {
  actor: "alice",
  address: "192.0.2.7",
  requestId: "r-1",
};
export const bob: Caller = { actor: "bob" };

export type VersionWish = Partial<NewNpmVersion> & {
  /** Represents the content of the tarball: the same seed gives the same digests. */
  readonly seed?: string;
  /** Tells two copies of the same content apart. */
  readonly generation?: string;
};

export function newVersion(wish: VersionWish): NewNpmVersion {
  const { seed, generation = "g1", ...fields } = wish;
  const name = wish.name ?? "demo";
  const version = wish.version ?? "1.0.0";
  const sha256 = hexDigestOf(seed ?? `${name}@${version}`);
  return {
    name,
    version,
    manifest: JSON.stringify({ name, version, _id: `${name}@${version}` }),
    abbreviated: JSON.stringify({ name, version }),
    integrity: `sha512-${Buffer.from(sha256.repeat(2), "hex").toString("base64")}`,
    shasum: sha256.slice(0, 40),
    fileCount: 3,
    unpackedSize: 5_000_000_000,
    publishedAt: new Date(),
    blob: {
      key: `npm/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${generation}`,
      size: 7,
      sha256,
    },
    tags: ["latest"],
    description: "",
    keywords: [],
    dependencyNames: [],
    ...fields,
  };
}

export function storedFormOf(version: NewNpmVersion) {
  const { manifest, abbreviated, integrity, shasum, fileCount, unpackedSize, publishedAt } =
    version;
  return {
    version: version.version,
    manifest,
    abbreviated,
    integrity,
    shasum,
    fileCount,
    unpackedSize,
    publishedAt,
  };
}

export async function keepDocument({ documents }: NpmCatalog, name: string, revision?: number) {
  const group = `npm/${name}`;
  await documents.keep({
    key: `contract/${name}`,
    group,
    revision: revision ?? (await documents.revision(group)),
    document: {
      etag: "e",
      contentType: "application/json",
      modifiedAt: new Date(),
      identity: Buffer.from("{}"),
    },
  });
}

export function indexes(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function hexDigestOf(seed: string): string {
  return createHash("sha256").update(seed).digest("hex");
}
