import type {
  CallOptions,
  ClientOptions,
  Download,
  Received,
} from "@sealhouse/http-responses/outgoing";
import type { Attestation } from "../provenance/ports.ts";
import type { RemoteToken } from "./accounts.ts";
import type { NpmCredentials } from "./credentials.ts";
import type { RemoteDist, RemotePackument, RemoteVersion } from "./packument-document.ts";
import type { NewVersion, PublishVersionOutcome } from "./publish.ts";
import type { FoundPackage, FoundPackages, RegistryQuery } from "./search.ts";
import type { ChangeOutcome } from "./send.ts";
import type { RemoteKey } from "./signatures.ts";
import type { StageOutcome } from "./stage.ts";
import type { RemoteAdvisory } from "./statements.ts";

export type NpmClientOptions = ClientOptions & {
  /** With its path: `https://packages.example/npm/`. */
  readonly registry: URL;
  /** Sent to the registry's origin alone: scheme, host and port. */
  readonly credentials?: NpmCredentials | undefined;
  /** Further origins that the credentials belong to, such as that of the tarballs. */
  readonly alsoTrusted?: readonly string[];
  /** Maximum bytes of one JSON document. Default 64 MiB. */
  readonly documentBytesMax?: number;
};

export type RemoteName = { readonly name: string; readonly version: string };

export type PackumentOptions = CallOptions & {
  /** `abbreviated` has what installing needs. Default `full`. */
  readonly form?: "full" | "abbreviated";
  /** Revision of the existing packument. */
  readonly etag?: string | undefined;
};

export type FoundPackument =
  | {
      readonly status: "found";
      readonly packument: RemotePackument;
      /** Bytes of the document. */
      readonly received: Received;
      readonly etag?: string;
    }
  | { readonly status: "unchanged" };

export type TarballOptions = CallOptions & { readonly maxBytes?: number };

/** Packages and their files. */
export type PackageReads = {
  packument(name: string, options?: PackumentOptions): Promise<FoundPackument | undefined>;
  /** By version, or what a tag points to. */
  version(
    name: string,
    versionOrTag: string,
    options?: CallOptions,
  ): Promise<RemoteVersion | undefined>;
  /** Checked against its hashes on the way. */
  tarball(
    dist: Pick<RemoteDist, "tarball" | "integrity" | "shasum">,
    options?: TarballOptions,
  ): Promise<Download | undefined>;
  distTags(name: string, options?: CallOptions): Promise<ReadonlyMap<string, string> | undefined>;
};

/** Searches and lists of names. */
export type SearchReads = {
  search(query: RegistryQuery, options?: CallOptions): Promise<FoundPackages>;
  searchAll(text: string, options?: CallOptions): AsyncGenerator<FoundPackage, void, undefined>;
  /** Every name, where the registry lists them; undefined where it does not. */
  names(options?: CallOptions): Promise<readonly string[] | undefined>;
};

/** Signatures, statements and advisories. */
export type SecurityReads = {
  /** Undefined where nothing is signed. */
  keys(options?: CallOptions): Promise<readonly RemoteKey[] | undefined>;
  attestations(remoteName: RemoteName, options?: CallOptions): Promise<readonly Attestation[]>;
  /** Versions by package. */
  advisories(
    inventory: ReadonlyMap<string, readonly string[]>,
    options?: CallOptions,
  ): Promise<ReadonlyMap<string, readonly RemoteAdvisory[]>>;
};

/** Changes of packages. */
export type PackageChanges = {
  publish(version: NewVersion, options?: CallOptions): Promise<PublishVersionOutcome>;
  setDistTag(
    distTag: RemoteName & { readonly tag: string },
    options?: CallOptions,
  ): Promise<ChangeOutcome>;
  removeDistTag(
    oldTag: { readonly name: string; readonly tag: string },
    options?: CallOptions,
  ): Promise<ChangeOutcome>;
  /** By version; an empty text lifts a deprecation. */
  deprecate(
    deprecation: { readonly name: string; readonly texts: ReadonlyMap<string, string> },
    options?: CallOptions,
  ): Promise<ChangeOutcome>;
  unpublish(
    removal: { readonly name: string; readonly versions: readonly string[] | "all" },
    options?: CallOptions,
  ): Promise<ChangeOutcome>;
};

/** Versions that wait for an approval. */
export type StagedVersions = {
  /** Uploads a version that a person must approve before it is published. */
  stage(version: NewVersion, options?: CallOptions): Promise<StageOutcome>;
  /** Whether a staged version still waits. */
  isStaged(stageId: string, options?: CallOptions): Promise<boolean>;
  /** Id of a waiting version with the same tarball (`shasum`); undefined without one. */
  findStaged(
    wanted: RemoteName & { readonly shasum: string },
    options?: CallOptions,
  ): Promise<string | undefined>;
  rejectStaged(stageId: string, options?: CallOptions): Promise<ChangeOutcome>;
};

/** The account of the credentials, and its tokens. */
export type AccountCalls = {
  whoami(options?: CallOptions): Promise<string | undefined>;
  tokens(options?: CallOptions): AsyncGenerator<RemoteToken, void, undefined>;
  /** By its key. */
  revokeToken(key: string, options?: CallOptions): Promise<ChangeOutcome>;
};

/**
 * Another npm registry. Whatever it does not have is `undefined`, also for names that cannot be.
 * Reads are tried again when they fail in a way that passes, and throw an `NpmClientError` in the
 * end; changes tell their outcome.
 */
export type NpmClient = PackageReads &
  SearchReads &
  SecurityReads &
  PackageChanges &
  StagedVersions &
  AccountCalls;
