import type { Caller } from "@sealhouse/request-types";
import type { RegistrySignature, SignedVersion } from "./registry-signature.ts";

/** A key in the public list: the registry's own, or an upstream's. */
export type AnnouncedKey = {
  readonly keyId: string;
  /** SubjectPublicKeyInfo: DER, base64. */
  readonly publicKey: string;
  /** Time after which its signatures are not valid for newly published versions. */
  readonly expiresAt?: Date;
};

/** A stored signing key of the registry. */
export type SigningKeyRecord = AnnouncedKey & {
  readonly createdAt: Date;
  /** Time since which clients see it; absent when they do not see it yet. */
  readonly announcedAt?: Date;
  /** PKCS#8, sealed for the host alone; absent for the keys of others. */
  readonly encryptedKey?: Uint8Array;
};

/** A signing key with its encrypted private key. */
export type NewSigningKey = Pick<SigningKeyRecord, "keyId" | "publicKey" | "createdAt"> & {
  readonly encryptedKey: Uint8Array;
};

/** Queries of the routes. */
export interface RegistryKeys {
  /** Every key in the public list, oldest first. Empty when nothing is signed. */
  announced(): Promise<readonly AnnouncedKey[]>;
}

/** Where the keys are. Signatures are shown once the key is announced, and not before. */
export interface NpmSigningKeys extends RegistryKeys {
  /** All keys, oldest first. */
  list(): Promise<readonly SigningKeyRecord[]>;
  /**
   * Stores the key unless the registry has its own unexpired key, even when another instance stored
   * that at the same moment.
   */
  add(key: NewSigningKey): Promise<"added" | "exists">;
  /**
   * Expires the registry's own keys at `expiresAt`; this key replaces them. It is in the public
   * list when a key was in the list before.
   */
  replace(key: NewSigningKey, expiresAt: Date, caller: Caller): Promise<void>;
  /**
   * Removes a replaced key of the registry with all its signatures. The versions are then unsigned,
   * so clients see no key and no signature until `announce`. `signs`: the key is the active one,
   * and nothing happens.
   */
  revoke(keyId: string, caller: Caller): Promise<"revoked" | "absent" | "signs">;
  /** Tells clients of all keys, or of none, and makes every package's documents stale. */
  announce(what: "all" | "none"): Promise<void>;
}

/** A version without a registry signature. */
export type UnsignedVersion = SignedVersion & { readonly id: number };

/** The versions that a registry signature is missing of. */
export interface UnsignedVersions {
  /** Id of the latest version; 0 without versions. */
  lastId(): Promise<number>;
  /** Versions without a signature whose ids are above `after` and at most `upTo`. */
  between(ids: {
    readonly after: number;
    readonly upTo: number;
  }): Promise<readonly UnsignedVersion[]>;
  /** Ignores versions that have signatures by now, or were deleted. */
  keep(
    signed: readonly {
      readonly id: number;
      readonly name: string;
      readonly signatures: readonly RegistrySignature[];
    }[],
  ): Promise<void>;
}

/** Encrypts private keys, so that access to the database does not reveal them. */
export interface KeyProtection {
  seal(key: Uint8Array): Uint8Array;
  /** Rejects when the key cannot be decrypted; the encrypted key stays unchanged. */
  open(sealed: Uint8Array): Promise<Uint8Array>;
}
