import type { Caller } from "@sealhouse/request-types";
import type { RegistrySignature, SignedVersion } from "./registry-signature.ts";

/** A key that clients are told of: the registry's own, or an upstream's. */
export type AnnouncedKey = {
  readonly keyId: string;
  /** SubjectPublicKeyInfo: DER, base64. */
  readonly publicKey: string;
  /** It vouches for nothing that was published later. */
  readonly expiresAt?: Date;
};

export type SigningKeyRecord = AnnouncedKey & {
  readonly createdAt: Date;
  /** Since when clients are told of it; absent = not yet. */
  readonly announcedAt?: Date;
  /** PKCS#8, sealed for the host alone; absent for the keys of others. */
  readonly sealedKey?: Uint8Array;
};

export type NewSigningKey = Pick<SigningKeyRecord, "keyId" | "publicKey" | "createdAt"> & {
  readonly sealedKey: Uint8Array;
};

/** What the routes ask. */
export interface RegistryKeys {
  /** Every key that clients are told of, oldest first. Empty where nothing is signed. */
  announced(): Promise<readonly AnnouncedKey[]>;
}

/** Where the keys are. Signatures are shown once the key is announced, and not before. */
export interface NpmSigningKeys extends RegistryKeys {
  /** All keys, oldest first. */
  list(): Promise<readonly SigningKeyRecord[]>;
  /** Keeps the key unless there is one of the registry's own that has not expired, whoever put it
   * there at the same moment. */
  add(key: NewSigningKey): Promise<"added" | "exists">;
  /** The registry's own keys that have not expired yet do so at `expiresAt`, and this one takes
   * their place. Clients are told of it when they were told of one before. */
  replace(key: NewSigningKey, expiresAt: Date, caller: Caller): Promise<void>;
  /** Removes a key of the registry's own that was replaced, with all signatures it has made. What
   * it signed is unsigned then, so clients are told of no key and shown no signature until
   * `announce`. `signs`: it is the one that signs now, and nothing happens. */
  revoke(keyId: string, caller: Caller): Promise<"revoked" | "absent" | "signs">;
  /** Tells clients of all keys, or of none, and makes every package's documents stale. */
  announce(what: "all" | "none"): Promise<void>;
}

export type UnsignedVersion = SignedVersion & { readonly id: number };

/** The versions that a registry signature is missing of. */
export interface UnsignedVersions {
  /** Of the version that came last; 0 when there is none. */
  lastId(): Promise<number>;
  /** Those without a signature whose ids are above `after` and not above `upTo`. */
  between(ids: {
    readonly after: number;
    readonly upTo: number;
  }): Promise<readonly UnsignedVersion[]>;
  /** A version that has signatures by now, or is gone, stays as it is. */
  keep(
    signed: readonly {
      readonly id: number;
      readonly name: string;
      readonly signatures: readonly RegistrySignature[];
    }[],
  ): Promise<void>;
}

/** Keeps private keys from whoever reads the database. */
export interface KeyProtection {
  seal(key: Uint8Array): Uint8Array;
  open(sealed: Uint8Array): Uint8Array;
}
