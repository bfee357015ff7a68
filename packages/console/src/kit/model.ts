import type { Protocol } from "@sealhouse/request-types";

/** What every page says about the registry it belongs to. */
export type Site = {
  /** What this registry is called: `Sealhouse`. */
  readonly name: string;
  readonly version: string;
  /** The public base URL as this client reaches it, without trailing slash. */
  readonly address: string;
  readonly now: Date;
  /** Whether everybody may read; otherwise the lines carry credentials. */
  readonly anonymousRead: boolean;
  /** How an operator calls the command line: `sealhouse`. */
  readonly command: string;
  /** The protocols whose packages have pages. */
  readonly protocols: readonly Protocol[];
};

/** Why a page is not shown to this request. */
export type Refusal =
  | { readonly status: "anonymous" }
  | { readonly status: "denied"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** `low`, `moderate`, `high`, `critical`, as clients number them. */
export type Severity = 0 | 1 | 2 | 3;

/** One page of all versions. */
export type VersionHistory = {
  /** Newest first. */
  readonly lines: readonly VersionLine[];
  /** Of this page, from 1, and of the last one. */
  readonly number: number;
  readonly last: number;
};

export type VersionLine = {
  readonly version: string;
  readonly publishedAt: Date;
  readonly downloads: number;
  /** Bytes. */
  readonly size: number;
  /** Names that point to it. */
  readonly tags?: readonly string[];
  readonly listed: boolean;
  readonly isPrerelease: boolean;
  readonly deprecated: boolean;
  readonly severity?: Severity | undefined;
};
