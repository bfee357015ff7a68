import type { Protocol } from "@sealhouse/request-types";

/** Purpose of a source: packages come from it, are sent to it, or both. */
export type SourceType = "upstream" | "downstream" | "both";

/**
 * The part of a source that is stored. `IndexAndCache`: documents and the requested files, which
 * search and the pages show. `CacheOnly`: the same, but neither search nor pages show them.
 * `ProxyOnly`: documents only.
 */
export type CachingStrategy = "IndexAndCache" | "CacheOnly" | "ProxyOnly";

/**
 * Treatment of the repository signature of a NuGet package of a source. `Resign`: replaced by
 * ours when signing is on. `Merge`: kept, and its certificate is listed with ours. `TrustedCerts`:
 * kept when its certificate is one of the source's trusted ones, otherwise replaced. Signatures of
 * authors always stay.
 */
export type MirrorSignaturePolicy = "Resign" | "Merge" | "TrustedCerts";

/** Treatment of a version that the source has removed: `Keep`, it is still resolved; `Hide`, it
 * is not resolved, and its kept file is still served; `Deny`, its file is refused as well. */
export type OnRemoved = "Keep" | "Hide" | "Deny";

/** Treatment of a young image of a tag of which nothing is here: `Allow`, it is served; `Hold`, it
 * is held back like the later images of the tag. */
export type FirstContact = "Allow" | "Hold";

/** Credentials that a source needs. */
export type SourceCredentials =
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "api-key"; readonly key: string }
  /** Headers by lower-case name. */
  | { readonly type: "headers"; readonly headers: Readonly<Record<string, string>> };

/** Details of a source, with the defaults of `SOURCE_DEFAULTS`. Times are milliseconds. */
export type SourceSettings = {
  /** Patterns of the names that it is asked for; empty: all. As in tokens: `Acme.*`, `@acme/*`,
   * `team/**`. */
  readonly allow: readonly string[];
  /** Patterns of names that it is never asked for. */
  readonly deny: readonly string[];
  /** Age below which versions are held back; 0: none is. */
  readonly minimumReleaseAgeMs: number;
  /** Age at which a kept document is compared with the source again. */
  readonly revalidateAfterMs: number;
  /** Time for which a kept document is served while the source fails. */
  readonly staleIfErrorMs: number;
  /** Time for which an absent name is remembered. */
  readonly negativeForMs: number;
  /** Time until the source begins an answer. */
  readonly firstByteTimeoutMs: number;
  /** Calls to the source at once. */
  readonly maxConnections: number;
  /** Size of one document after decompression. */
  readonly maxDocumentBytes: number;
  /** Size of one package file or image layer. */
  readonly maxFileBytes: number;
  /** Further origins (scheme, host, port) that get the credentials. */
  readonly credentialOrigins: readonly string[];
  /** Further origins of token services that get the credentials. */
  readonly tokenRealms: readonly string[];
  /** Whether the origins of the source may be in a private network. */
  readonly allowPrivateNetwork: boolean;
  /** Whether all users of this registry may read its packages, although it needs credentials. */
  readonly publicThroughHere: boolean;
  readonly onRemoved: OnRemoved;
  readonly firstContact: FirstContact;
  /** SHA-256 fingerprints of certificates, lower-case hex, for `TrustedCerts`. */
  readonly trustedCertificates: readonly string[];
  /** PEM of the authorities that its https certificates come from. */
  readonly caPath?: string;
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Defaults of the settings of a source. */
export const SOURCE_DEFAULTS: SourceSettings = {
  allow: [],
  deny: [],
  minimumReleaseAgeMs: 0,
  revalidateAfterMs: 5 * MINUTE_MS,
  staleIfErrorMs: 7 * DAY_MS,
  negativeForMs: 30_000,
  firstByteTimeoutMs: 15_000,
  maxConnections: 32,
  maxDocumentBytes: 128 * 1024 * 1024,
  maxFileBytes: 16 * 1024 ** 3,
  credentialOrigins: [],
  tokenRealms: [],
  allowPrivateNetwork: false,
  publicThroughHere: false,
  onRemoved: "Hide",
  firstContact: "Allow",
  trustedCertificates: [],
};

/** A registry that packages are taken from, or sent to. */
export type PackageSource = {
  /** Unique without regard to letter case; as `SOURCE_NAME` allows. */
  readonly name: string;
  readonly protocol: Protocol;
  /** NuGet: the service index. npm: the registry. OCI: the registry, with the path that precedes
   * its repositories. */
  readonly url: URL;
  readonly type: SourceType;
  /** Lower numbers are asked first. */
  readonly priority: number;
  /** The OCI segment that it is for, or `DEFAULT_SURFACE`; undefined: all. */
  readonly surface?: string;
  readonly strategy: CachingStrategy;
  readonly signaturePolicy: MirrorSignaturePolicy;
  readonly isEnabled: boolean;
  readonly credentials?: SourceCredentials;
  readonly settings: SourceSettings;
  readonly from: "database" | "configuration";
};

/** Surface of the OCI repositories outside of segments. */
export const DEFAULT_SURFACE = "default";

/** Allowed names of sources. */
export const SOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Key of the stored documents of a source. Changes with its address, because other addresses have
 * other packages. */
export function contentKeyOf({ protocol, url }: Pick<PackageSource, "protocol" | "url">): string {
  return `${protocol} ${url.href}`;
}
