import type { Protocol, Caller } from "@sealhouse/request-types";
import type { NpmDependents, NpmLifecycle, NpmLookup } from "@sealhouse/npm-protocol";
import type {
  DependentsLookup,
  PackageLifecycle,
  PackageLookup,
  PackageRecorder,
  RetentionParts,
} from "@sealhouse/nuget-protocol";
import type { RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import type {
  Digest,
  GarbageConfig,
  GarbageParts,
  ManifestCatalog,
  RepositoryName,
  TagRetention,
  TagRetentionParts,
} from "@sealhouse/oci-distribution";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import type {
  OciConfig,
  OciGarbageConfig,
  OciSealConfig,
  OciTagsConfig,
} from "@sealhouse/oci-distribution/settings";
import type { StatementRows } from "@sealhouse/promotion";
import type { CheckParts } from "@sealhouse/storage-providers";

/** Packages and images, and their upkeep. */
export type ContentParts = {
  /** Rows of packages and images. A command opens them without storage and keys. */
  content(): Promise<ContentRows>;
  readonly upkeep: {
    settings(): UpkeepSettings;
    retention(): Promise<RetentionParts>;
    tagRetention(): Promise<TagRetentionParts>;
    garbage(): Promise<Omit<GarbageParts, "config">>;
    check(): Promise<CheckParts>;
    /** Opens the keys that sign images. */
    sealing(seal: OciSealConfig): Promise<SealingParts>;
  };
};

/** The settings of upkeep. */
export type UpkeepSettings = GarbageConfig & {
  readonly feed: { readonly oci: OciConfig };
  readonly retention: RetentionConfig;
  readonly ociTags: OciTagsConfig;
  readonly ociGarbage: OciGarbageConfig;
  /** Undefined: signing of images is off. */
  readonly ociSeal?: OciSealConfig;
};

export type ContentRows = {
  readonly nuget: {
    readonly lifecycle: PackageLifecycle;
    readonly recorder: Pick<PackageRecorder, "setListed">;
    readonly lookup: Pick<PackageLookup, "summaries">;
    readonly search: DependentsLookup;
  };
  readonly npm: {
    readonly lifecycle: Pick<NpmLifecycle, "deprecate" | "unpublish">;
    readonly lookup: Pick<NpmLookup, "find">;
    readonly dependents: NpmDependents;
  };
  readonly promotion: { readonly statements: Pick<StatementRows, "targetsOf"> };
  readonly oci: {
    readonly manifests: Pick<ManifestCatalog, "find" | "tags" | "deleteTag" | "deleteManifest">;
    readonly tags: TagRetention;
    readonly garbage: Pick<GarbageParts["catalog"], "reports">;
    readonly holds: HoldRows;
    /** Removes the rows of a repository without manifests. */
    forget(name: RepositoryName, caller: Caller): Promise<"forgotten" | "content" | "absent">;
  };
  readonly history: NameHistory;
};

/** Digests that stay for now. */
export type HoldRows = {
  hold(
    digests: readonly Digest[],
    holder: string,
    until: Date | undefined,
    caller: Caller,
  ): Promise<void>;
  release(holder: string, by: { readonly digest: Digest; readonly caller: Caller }): Promise<void>;
  list(
    limit: number,
  ): Promise<
    readonly { readonly digest: Digest; readonly holder: string; readonly until?: Date }[]
  >;
};

/** Facts about names, and the times in which they held. */
export type NameHistory = {
  of(
    name: string,
    query: { readonly protocols: readonly Protocol[]; readonly at?: Date; readonly limit: number },
  ): Promise<readonly HistoryEntry[]>;
  /** Removes deleted content from views at once. Returns the number of versions and images. */
  erase(content: DeletedContent, caller: Caller): Promise<number>;
  /** Returns the number of versions and images that `erase` would remove. */
  erasable(content: DeletedContent): Promise<number>;
};

type DeletedContent = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly item?: string;
};

type HistoryEntry = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly kind: string;
  readonly item: string;
  readonly value: string;
  readonly from: Date;
  readonly until?: Date;
};
