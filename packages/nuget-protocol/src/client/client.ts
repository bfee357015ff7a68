import type {
  CallOptions,
  ClientOptions,
  Download,
  Revised,
} from "@sealhouse/http-responses/outgoing";
import type { AdvisoryPageLink, FeedAdvisory } from "./advisories.ts";
import type { FollowedItem, FollowedLeaf } from "./catalog.ts";
import type { Credentials } from "./credentials.ts";
import type { ChangeOutcome, PushedFile, PushOutcome } from "./push.ts";
import type { RevisedRead } from "./reader.ts";
import type { RegisteredVersion } from "./registered-version.ts";
import type { RegistrationLeaf } from "./registration.ts";
import type { ResourceName } from "./resources.ts";
import type { FeedQuery, FoundPackages } from "./search.ts";
import type { FeedCertificate, FeedSignatures } from "./signatures.ts";

export type NuGetClientOptions = ClientOptions & {
  /** The service index: `https://feed.example/v3/index.json`. */
  readonly source: URL;
  /** Sent to the source's origin alone: scheme, host and port. */
  readonly credentials?: Credentials | undefined;
  /** For pushes, deletions and relisting; sent to the same origins. */
  readonly apiKey?: string | undefined;
  /** Where packages are pushed, deleted and relisted; by default, where the service index says. */
  readonly pushUrl?: URL | undefined;
  /** Further origins that credentials and key belong to, for feeds that are spread over several
   * hosts: `https://packages.example`. */
  readonly alsoTrusted?: readonly string[];
  /** Maximum bytes of one JSON document. Default 32 MiB. */
  readonly documentBytesMax?: number;
};

export type NamedVersion = { readonly id: string; readonly version: string };
export type DownloadOptions = CallOptions & { readonly maxBytes?: number };

/** Documents about all versions of a package. */
export type PackageDocuments = {
  /** Lower-cased normal forms, unlisted versions too. */
  versions(id: string, options?: CallOptions): Promise<readonly string[] | undefined>;
  /** The same, unless it is the list with the tag. */
  revisedVersions(
    id: string,
    options?: RevisedRead,
  ): Promise<Revised<readonly string[]> | undefined>;
  registration(
    id: string,
    options?: CallOptions,
  ): Promise<readonly RegisteredVersion[] | undefined>;
  /** The same, unless it is the registration with the tag. */
  revisedRegistration(
    id: string,
    options?: RevisedRead,
  ): Promise<Revised<readonly RegisteredVersion[]> | undefined>;
};

/** One version, and its files. */
export type VersionReads = {
  registrationLeaf(
    named: NamedVersion,
    options?: CallOptions,
  ): Promise<RegistrationLeaf | undefined>;
  package(named: NamedVersion, options?: DownloadOptions): Promise<Download | undefined>;
  /** The symbol package of a version, where a feed gives it back, as this host does. */
  symbols(named: NamedVersion, options?: DownloadOptions): Promise<Download | undefined>;
  nuspec(named: NamedVersion, options?: CallOptions): Promise<Uint8Array | undefined>;
  readme(named: NamedVersion, options?: CallOptions): Promise<string | undefined>;
};

/** Searches and lists of ids. */
export type SearchReads = {
  search(query: FeedQuery, options?: CallOptions): Promise<FoundPackages>;
  /** Ids that begin with the text. */
  ids(query: FeedQuery, options?: CallOptions): Promise<readonly string[]>;
  /** Listed versions only. */
  listedVersions(id: string, options?: CallOptions): Promise<readonly string[]>;
};

/** Vulnerabilities of packages. */
export type AdvisoryReads = {
  /** Undefined when the feed tells nothing about vulnerabilities. */
  advisoryPages(options?: CallOptions): Promise<readonly AdvisoryPageLink[] | undefined>;
  advisories(page: AdvisoryPageLink, options?: CallOptions): Promise<readonly FeedAdvisory[]>;
};

/** Signatures of the feed, and their certificates. */
export type SignatureReads = {
  signatures(options?: CallOptions): Promise<FeedSignatures | undefined>;
  /** DER. */
  certificate(
    listed: Pick<FeedCertificate, "contentUrl">,
    options?: CallOptions,
  ): Promise<Uint8Array | undefined>;
};

/** Changes of packages, in their order. */
export type CatalogReads = {
  /** Throws `unsupported` when the feed has no catalog. */
  catalog(
    options?: CallOptions & { readonly after?: string | undefined },
  ): AsyncGenerator<FollowedItem, void, undefined>;
  catalogLeaf(url: URL, options?: CallOptions): Promise<FollowedLeaf | undefined>;
};

/** Changes of packages. */
export type PackageChanges = {
  push(file: PushedFile, options?: CallOptions): Promise<PushOutcome>;
  pushSymbols(file: PushedFile, options?: CallOptions): Promise<PushOutcome>;
  /** Unlists, or deletes where the feed is set to. */
  delete(named: NamedVersion, options?: CallOptions): Promise<ChangeOutcome>;
  relist(named: NamedVersion, options?: CallOptions): Promise<ChangeOutcome>;
};

/**
 * Another feed. Absent ids and versions are `undefined`; they may have any casing. Reads are
 * retried after temporary failures, and finally throw a `NuGetClientError`; a document of another
 * shape is reported with its address and the field.
 */
export type NuGetClient = {
  /** Where a resource is; undefined when the feed does not offer it. */
  resource(name: ResourceName, options?: CallOptions): Promise<string | undefined>;
} & PackageDocuments &
  VersionReads &
  SearchReads &
  AdvisoryReads &
  SignatureReads &
  CatalogReads &
  PackageChanges;
