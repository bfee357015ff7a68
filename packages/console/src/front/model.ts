import type { Protocol } from "@sealhouse/request-types";
import type { LatestPackage, Visitor } from "../kit/page/model.ts";

/** The complete contents of the front page. */
export type FrontPageModel = {
  /** Display name of the registry, such as `Sealhouse`. */
  readonly name: string;
  readonly version: string;
  /** The public base URL as this client reaches it, without trailing slash. */
  readonly address: string;
  readonly now: Date;
  /** The enabled protocols. */
  readonly protocols: readonly Protocol[];
  /** Whether the footer links to the pages of administrators. Default: no. */
  readonly hasAdministration?: boolean;
  /** Who views the page. Undefined = no page signs in. */
  readonly visitor?: Visitor;
  /** Whether anonymous callers may read. When false, the shell lines contain credentials. */
  readonly anonymousRead: boolean;
  /** The command that starts the CLI, such as `sealhouse`. */
  readonly command: string;
  /** Whether the caller is on the machine of a registry in Development. Default: no. */
  readonly isOnHost?: boolean;
  /** Newest first; undefined when the caller may not read packages. */
  readonly latest: readonly LatestPackage[] | undefined;
  /** Undefined when signing is disabled. */
  readonly signing?: SigningState | undefined;
};

/** State of NuGet package signing. */
export type SigningState = {
  /** Undefined until the registry signs its first package. */
  readonly certificate?: SigningCertificate | undefined;
};

/** The certificate that signs NuGet packages. */
export type SigningCertificate = {
  /** SHA-256, hex in any letter case. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly notAfter: Date;
};
