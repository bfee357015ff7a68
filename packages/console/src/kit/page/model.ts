import type { HiddenNames, Protocol } from "@sealhouse/request-types";
import type { Theme } from "./theme.ts";

/** Data about the registry that every page shows. */
export type Site = {
  /** Display name of the registry, such as `Sealhouse`. */
  readonly name: string;
  readonly version: string;
  /** The public base URL as this client reaches it, without trailing slash. */
  readonly address: string;
  readonly now: Date;
  /** Whether anonymous callers may read. When false, the shell lines contain credentials. */
  readonly anonymousRead: boolean;
  /** The command that starts the CLI, such as `sealhouse`. */
  readonly command: string;
  /** Whether the caller is on the machine of a registry in Development. Default: no. */
  readonly isOnHost?: boolean;
  /** The enabled protocols; only their packages have pages. */
  readonly protocols: readonly Protocol[];
  /** Whether the bar links to the pages of administrators. Default: no. */
  readonly hasAdministration?: boolean;
  /** The colors that the person chose. Undefined = those of the system. */
  readonly theme?: Theme | undefined;
  /** Who views the page. Undefined = no page signs in. */
  readonly visitor?: Visitor;
};

/** The person who views a page. */
export type Visitor = {
  /** Name of the user or token that is signed in; undefined = an anonymous person. */
  readonly name?: string;
  /** Path and query of the page, below the registry's path. */
  readonly path: string;
};

/** Reason that the request may not see a page. */
export type Refusal =
  | { readonly status: "anonymous"; readonly reason?: string }
  | { readonly status: "denied"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Advisory severity as NuGet clients number it: low, moderate, high, critical. */
export type Severity = 0 | 1 | 2 | 3;

/** One page of a package's version history. */
export type VersionHistory = {
  /** Newest first. */
  readonly lines: readonly VersionLine[];
  /** Numbers of this page and of the last page, from 1. */
  readonly number: number;
  readonly last: number;
};

/** A version in the history of a package. */
export type VersionLine = {
  readonly version: string;
  readonly publishedAt: Date;
  readonly downloads: number;
  /** Size in bytes. */
  readonly size: number;
  /** Dist-tags that point to the version. */
  readonly tags?: readonly string[];
  readonly listed: boolean;
  readonly isPrerelease: boolean;
  readonly deprecated: boolean;
  readonly severity?: Severity | undefined;
};

/** A recently published package or image. */
export type LatestPackage = {
  readonly protocol: Protocol;
  readonly name: string;
  /** A version; for container images a tag or a digest. */
  readonly version: string;
  readonly publishedAt: Date;
};

/** The names that a caller does not see, by protocol. */
export type HiddenByProtocol = Readonly<
  Partial<Record<Protocol, Pick<HiddenNames, "isSignedIn" | "owners">>>
>;
