import type { Caller, PackageVerdict, PublicAddressOf } from "@sealhouse/request-types";
import type { ByteSource, DocumentStore } from "@sealhouse/http-responses";
import type { JsonObject } from "./json.ts";
import type { NpmAccounts } from "./accounts/ports.ts";
import type { NpmAdvisories } from "./advisories/ports.ts";
import type { NpmViews } from "./as-of/ports.ts";
import type { NpmLifecycle } from "./lifecycle/ports.ts";
import type { Maintainer, NpmOwners, NpmTeams, PackageAccess } from "./owners/ports.ts";
import type { NpmAttestations, VerifyBundle } from "./provenance/ports.ts";
import type { NpmSearch } from "./search/ports.ts";
import type { RegistryKeys } from "./signatures/ports.ts";
import type { NpmTrust } from "./trust/ports.ts";
import type { NpmUpstream } from "./upstream/ports.ts";
import type { WithheldVersion } from "./withheld/withheld-version.ts";
import type { NpmStaging } from "./staging/ports.ts";
import type { NamedBlob, SavedBlob, NewNpmVersion, NpmVersion } from "./npm-version.ts";

/** Ports of the registry. The host or `./testing` implements them. */
export type NpmPorts = {
  readonly lookup: NpmLookup;
  readonly recorder: NpmRecorder;
  readonly staging: NpmStaging;
  readonly lifecycle: NpmLifecycle;
  readonly owners: NpmOwners;
  /** Absent where there are no teams. */
  readonly teams?: NpmTeams;
  readonly signingKeys: RegistryKeys;
  readonly attestations: NpmAttestations;
  readonly verifyBundle: VerifyBundle;
  readonly search: NpmSearch;
  readonly advisories: NpmAdvisories;
  readonly documents: DocumentStore;
  readonly upstream: NpmUpstream;
  readonly files: TarballFiles;
  readonly content: TarballContent;
  readonly authorize: AuthorizePackage;
  readonly accounts: NpmAccounts;
  readonly trust: NpmTrust;
  readonly address: PublicAddressOf;
  /** Called after a completed publish or a started download; must not throw. */
  readonly count: (what: "push" | "pull", pulled?: { name: string; version: string }) => void;
  /** Absent where audits have no limit by network. */
  readonly limitAudits?: LimitAudits;
  /** Absent where there are no views as of a time. */
  readonly views?: NpmViews;
};

/**
 * `stage` submits versions that another account releases, `publish` publishes and tags versions;
 * `write` includes both. `manage` changes owners, trusted publishers and visibility.
 */
export type Action = "read" | "stage" | "publish" | "tag" | "write" | "manage" | "delete" | "admin";

/** `name` is a package name, or undefined where the request names none (ping, whoami, search). */
export type AuthorizePackage = (
  request: Request,
  env: unknown,
  access: { readonly action: Action; readonly name?: string },
) => Promise<PackageVerdict>;

/**
 * Counts the values of an audit for the network of a request. Resolves to the seconds to wait when
 * the network has sent too many; nothing is counted then. Zero values ask without counting.
 */
export type LimitAudits = (
  request: Request,
  env: unknown,
  values: number,
) => Promise<number | undefined>;

/** A package with all its versions and stored dist-tags; also versions that are damaged. */
export type NpmPackage = {
  readonly name: string;
  /** Rises with every change; `_rev` is made from it. */
  readonly revision: number;
  /** `publishedAt` of the first version. */
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  /** README of the version whose publish last moved `latest`; may be shortened to 64 KiB. */
  readonly readme?: string;
  readonly readmeFilename?: string;
  readonly distTags: Readonly<Record<string, string>>;
  /** Absent where it was published before there were owners. */
  readonly maintainers?: readonly Maintainer[];
  readonly access?: PackageAccess;
  /** In order of publication. */
  readonly versions: readonly NpmVersion[];
  /** Versions that documents must not show, though they may be in `versions`. */
  readonly withheld?: readonly WithheldVersion[];
  /** Publish times of versions that are not in `versions`, for documents. */
  readonly hiddenTimes?: ReadonlyMap<string, Date>;
  /** Publish times of versions that the source of the package has unpublished. */
  readonly removedTimes?: ReadonlyMap<string, Date>;
  /** Details of the unpublishing at the source of the package (`time.unpublished`). */
  readonly unpublished?: JsonObject;
};

/** Names and versions compare byte by byte: `Foo` and `foo` are two (old) packages. */
export interface NpmLookup {
  find(name: string): Promise<NpmPackage | undefined>;
  /** Whether `find` would find it, for much less. */
  has(name: string): Promise<boolean>;
  /** The fields for a tarball download. Throws `NpmError` for a version that is denied. */
  tarball(
    name: string,
    version: string,
  ): Promise<(NamedBlob & { readonly integrity: string }) | undefined>;
}

/** Result of a publish in the catalog. */
export type Published =
  | { readonly status: "published"; readonly isDuplicate: boolean }
  | { readonly status: "replayed"; readonly isRestored?: true }
  | { readonly status: "exists"; readonly differs?: "tags" }
  | { readonly status: "deleted" }
  | { readonly status: "reserved"; readonly until: Date }
  /** The package would have more than `DIST_TAGS_MAX` dist-tags. */
  | { readonly status: "tags-full" }
  /** The name belongs to a package source. */
  | { readonly status: "mirrored"; readonly source: string };

/** A dist-tag and the version that it shall point to. */
export type TagTarget = {
  readonly tag: string;
  readonly version: string;
  /** From another registry: the limit of dist-tags does not apply. */
  readonly isImported?: true;
};

/** All of a batch, in its order; or the first that was refused, and then nothing was changed. */
export type BatchPublished =
  | {
      readonly status: "published";
      readonly outcomes: readonly Extract<
        Published,
        { readonly status: "published" | "replayed" }
      >[];
    }
  | {
      readonly status: "refused";
      readonly index: number;
      readonly outcome: Exclude<Published, { readonly status: "published" | "replayed" }>;
    };

/** Each change, its event and the staleness of its documents are one transaction. */
export interface NpmRecorder {
  /**
   * `replayed`: the same actor published the same `integrity` and `tags` as this version at most 15
   * minutes before `publishedAt`; nothing changed. With `isRestored`, any actor published the same
   * `integrity` at any time, and its blob replaced a missing or damaged one. `exists`: the version
   * exists in any other way; `differs` when only the tags differ from a replay. `deleted`: the
   * version was unpublished, and its number cannot be used again. `reserved`: another account
   * unpublished the package, and its name is reserved for that account `until` then. `mirrored`:
   * the name comes from a package source, and the version does not. `tags-full`
   * applies to versions without `recordedAt`. `isDuplicate`:
   * the same bytes were stored before and the version shares them, so the new copy is not needed.
   * Concurrent publishes of one package wait for each other.
   */
  publish(version: NewNpmVersion, caller: Caller): Promise<Published>;
  /**
   * Publishes all of these versions or none, in one transaction. `callers` has the rights of the
   * caller on each package, by name; without an entry, those of `caller` count.
   */
  publishAll(
    versions: readonly NewNpmVersion[],
    caller: Caller,
    callers: ReadonlyMap<string, Caller>,
  ): Promise<BatchPublished>;
  /**
   * Publishes the staged version with this id and removes it from the waiting list. `absent`: there
   * is no such waiting version. After any other outcome than `published` it stays in the list.
   */
  release(
    stageId: string,
    version: NewNpmVersion,
    caller: Caller,
  ): Promise<Exclude<Published, { readonly status: "replayed" }> | { readonly status: "absent" }>;
  /**
   * `absent`: there is no such version, or no such package. `tags-full`: the tag is new, and the
   * package has `DIST_TAGS_MAX` of them.
   */
  setTag(name: string, target: TagTarget, caller: Caller): Promise<"set" | "absent" | "tags-full">;
  /** `absent`: there is no such tag, or no such package. */
  removeTag(name: string, tag: string, caller: Caller): Promise<"deleted" | "absent">;
}

/** Bytes on their way in: staged, hashed, kept. Met by the blob store of storage-providers. */
export interface TarballFiles {
  stage(
    body: AsyncIterable<Uint8Array>,
    options: {
      readonly hashes: readonly ("sha1" | "sha256" | "sha512")[];
      readonly maxBytes?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<StagedTarball>;
}

/** A tarball in the staging area. Disposal deletes it unless `keep` was called. */
export interface StagedTarball extends AsyncDisposable {
  readonly size: number;
  /** Lower-case hex. */
  readonly digests: Readonly<{ sha256: string; sha1?: string; sha512?: string }>;
  read(): AsyncIterable<Uint8Array>;
  keep(): Promise<SavedBlob & { discard(): Promise<void> }>;
}

/** Access to the stored bytes of tarballs. */
export interface TarballContent {
  /** Where the client may read it by itself, without credentials; undefined where it may not. */
  address(blob: NamedBlob): Promise<string | undefined>;
  open(blob: NamedBlob): ByteSource;
}
