import type { KeyRing } from "@sealhouse/identity";
import type { NpmSigningKeys } from "@sealhouse/npm-protocol";
import type { CertificateLedger } from "@sealhouse/repo-signing";
import type { FeedSigning, ResignParts, Retirement, SealedBy } from "@sealhouse/repo-signing/feed";
import type { Caller } from "@sealhouse/request-types";

/** Rows of certificates and keys. A command reads them without storage and keys. */
export type SigningRows = {
  readonly certificates: CertificateLedger & {
    /** Marks a certificate as retired, unless versions are served with its signature. */
    retire(fingerprint: string, caller: Caller): Promise<Retirement>;
  };
  readonly nuget: {
    readonly seals: ResignParts["seals"] & {
      counts(): Promise<ReadonlyMap<string, number>>;
      count(which: SealedBy): Promise<number>;
    };
  };
  readonly events: {
    record(
      events: readonly {
        readonly type: "settings.changed";
        readonly subject: string;
        readonly caller: Caller;
        readonly detail: Readonly<Record<string, unknown>>;
      }[],
    ): Promise<void>;
  };
  readonly npm: { readonly signingKeys: NpmSigningKeys };
};

/** Keys of the registry, and the bytes that they sign. */
export type SigningKeys = {
  readonly signing: Pick<FeedSigning, "open" | "tools">;
  readonly blobs: { readonly nuget: ResignParts["blobs"] };
  readonly keyRing: KeyRing;
  readonly npmSignatures: {
    /** Removes a replaced key and signs its versions again. */
    revoke(
      keyId: string,
      caller: Caller,
    ): Promise<
      | { readonly status: "ended"; readonly result: "revoked" | "absent" | "signs" }
      | { readonly status: "busy"; readonly heldUntil: Date | undefined }
    >;
  };
  /** Adds a key to the key ring. Resolves to its id; undefined when another instance added one. */
  rotateKeyRing(caller: Caller): Promise<string | undefined>;
};

export type SigningParts = { signing(): Promise<SigningKeys> };
