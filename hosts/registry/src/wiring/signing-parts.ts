import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import type * as repoSigning from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Extension } from "../extension.ts";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { SigningConfig } from "../settings/signing.ts";

export type SigningTools = {
  readonly signer: () => Promise<Signer>;
  readonly sealer: Pick<repoSigning.Sealer, "sealOnDownload">;
  /** Makes a new certificate of the host's own, for all instances: listed now, in use an hour
   * later, or `atOnce`. Undefined where an operator brings the certificate. */
  readonly rotate:
    | ((how: { readonly atOnce: boolean }) => Promise<repoSigning.Rotation>)
    | undefined;
  /** Opens the certificate to which hosts change by themselves; undefined where none is set. */
  readonly successor: (() => Promise<Signer>) | undefined;
};

export type SigningParts = {
  readonly config: Config;
  readonly extensions: readonly Extension[];
  readonly store: ObjectStore;
  readonly keyRing: KeyRing;
  readonly database: Pick<Database, "certificates" | "leases" | "nuget">;
  readonly log: Log;
  readonly now: () => Date;
};

export type SigningOn = Exclude<SigningConfig, { readonly mode: "off" }>;
