import type { Protocol } from "@sealhouse/request-types";

/** All that the front page shows. Nothing on it comes from anywhere else. */
export type FrontPageModel = {
  /** What this registry is called: `Sealhouse`. */
  readonly name: string;
  readonly version: string;
  /** The public base URL as this client reaches it, without trailing slash. */
  readonly address: string;
  readonly now: Date;
  /** The protocols that are on. */
  readonly protocols: readonly Protocol[];
  /** Whether everybody may read; otherwise the lines carry credentials. */
  readonly anonymousRead: boolean;
  /** How an operator calls the command line: `sealhouse`. */
  readonly command: string;
  /** Newest first; undefined where this request may not see them. */
  readonly latest: readonly LatestPackage[] | undefined;
  /** Undefined = signing is off. */
  readonly signing?: SigningState | undefined;
};

export type LatestPackage = {
  readonly protocol: Protocol;
  readonly name: string;
  /** A version; for container images a tag or a digest. */
  readonly version: string;
  readonly publishedAt: Date;
};

export type SigningState = {
  /** Undefined until the first package was signed. */
  readonly certificate?: SigningCertificate | undefined;
};

export type SigningCertificate = {
  /** SHA-256, hex in any letter case. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly notAfter: Date;
};
