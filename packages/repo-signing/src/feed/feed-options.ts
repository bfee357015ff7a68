import type { Leases } from "@sealhouse/jobs";
import type { Rotation } from "../certificates/self-signed.ts";
import type { MirrorSignatures } from "../sign/sign-package.ts";
import type {
  CertificateFacts,
  CertificateFile,
  CertificateLedger,
  SealKeeper,
  SealLookup,
  Signer,
} from "../ports.ts";
import type { Seal, Sealer } from "../sealer/sealer.ts";
import type { SigningExtension } from "../signer/signing-mode.ts";

/** Options of a feed's signing. */
export type SigningConfig =
  | { readonly mode: "off" }
  | ({ readonly mode: "SelfSigned" } & SigningRules & SelfSignedConfig)
  | ({ readonly mode: "StoredCertificate" } & SigningRules & StoredCertificateConfig)
  | ({ readonly mode: "Extension" } & SigningRules & ExtensionConfig);

export type SigningOn = Exclude<SigningConfig, { readonly mode: "off" }>;

export type SigningRules = {
  readonly policy: "ReSign" | "Reject";
  readonly timestamps: TimestampConfig;
  readonly advertiseAllRepositorySigned: boolean;
  /** Whether packages with the signature of an older certificate are signed again. */
  readonly resignAfterRotation: boolean;
};

export type TimestampConfig = {
  /** URLs of timestamping servers, in order of preference; empty for no timestamps. */
  readonly servers: readonly string[];
  /** Undefined = `SignWithoutTimestamp` in mode SelfSigned, else `Fail`. */
  readonly failurePolicy?: "Fail" | "SignWithoutTimestamp";
};

type HashAlgorithm = Signer["hash"];

/** A certificate that the feed creates itself. */
export type SelfSignedConfig = {
  /** Path among the shared files. */
  readonly certificatePath: string;
  /** Undefined = derived from the key ring. */
  readonly password?: string;
  readonly subject: {
    readonly complete?: string;
    readonly commonName: string;
    readonly organization?: string;
    readonly organizationalUnit?: string;
    readonly country?: string;
  };
  readonly keySize: 2048 | 3072 | 4096;
  readonly validityInDays: number;
  readonly hash: HashAlgorithm;
};

/** A certificate that an operator installs. */
export type StoredCertificateConfig = {
  readonly source: CertificateSource;
  /** Replaces `source` after it was listed for an hour. */
  readonly next?: CertificateSource;
  /** Empty = none. */
  readonly password: string;
  /** Name of the setting or environment variable with the password, for errors. */
  readonly passwordSetting: string;
  readonly hash: HashAlgorithm;
};

export type CertificateSource =
  | {
      readonly type: "file";
      readonly path: string;
      readonly keyPath?: string;
      /** Named by the settings of the next certificate. */
      readonly isNext?: true;
    }
  | {
      readonly type: "store";
      /** 40 hex digits, upper case. */
      readonly thumbprint: string;
      readonly storeName: string;
      readonly storeLocation: "CurrentUser" | "LocalMachine";
    };

/** A signing mode of an extension. */
export type ExtensionConfig = {
  readonly name: string;
  /** Texts of the mode's settings by full key. */
  readonly values: Readonly<Record<string, string>>;
  /** Any setting or environment variable by name. */
  readonly named: (name: string) => string | undefined;
};

/** Small files that all instances share. */
export type SharedFiles = {
  /** The normal form of a path; undefined for a path that cannot be shared. */
  keyOf(path: string): string | undefined;
  /** Undefined = there is no such file. */
  read(path: string): Promise<Uint8Array | "too-large" | undefined>;
  /** A text that changes with the file; undefined = there is no such file. */
  version(path: string): Promise<string | undefined>;
  file(path: string): CertificateFile;
};

/** The part of a structured log (pino's, for example) that signing writes to. */
export type SigningLog = Readonly<
  Record<"info" | "warn", (fields: object, message: string) => void>
>;

/** Ports of signing. */
export type FeedSigningPorts = {
  readonly extensions: readonly Partial<Pick<SigningExtension, "signingModes">>[];
  readonly files: SharedFiles;
  readonly ledger: CertificateLedger;
  readonly seals: SealKeeper<Seal>;
  /** The signature that a version has now, if it still has the same bytes. */
  readonly sealLookup: SealLookup<Seal>;
  readonly leases: Leases;
  /** Password of the self-signed certificate where the settings have none. */
  readonly derivedPassword: () => string;
  /** Returns the rules for signatures of the source of a package; undefined for other packages. */
  readonly mirrorSignatures?: (id: string) => Promise<MirrorSignatures | undefined>;
  /** Returns the owners of a package, which its signature states. Absent: none. */
  readonly ownersOf?: (id: string) => Promise<readonly string[]>;
  /** Puts the certificate of another repository on record, when its signature stays. */
  readonly noteKept?: (certificate: CertificateFacts) => Promise<void>;
  /** Sends requests to timestamping servers. */
  readonly fetch: typeof fetch;
  readonly log: SigningLog;
  readonly now: () => Date;
};

export type FeedSigningOptions = FeedSigningPorts & {
  readonly signing: SigningConfig;
  /** Absolute https URL of the feed's service index; part of every signature. */
  readonly serviceIndexUrl: string;
};

/** Functions for commands and jobs that manage certificates. */
export type SigningTools = {
  readonly signer: () => Promise<Signer>;
  readonly sealer: Pick<Sealer, "sealOnDownload">;
  /** Creates a new self-signed certificate for all instances. It is listed now and signs an hour
   * later, or `atOnce`. Undefined in the other modes. */
  readonly rotate: ((how: { readonly atOnce: boolean }) => Promise<Rotation>) | undefined;
  /** Opens the certificate that replaces the current one; undefined = none is configured. */
  readonly successor: (() => Promise<Signer>) | undefined;
};
