import type { Caller } from "@sealhouse/request-types";
import type { KeyObject } from "node:crypto";
import type { Digest } from "../digest.ts";
import type { OciPorts } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

/** Signs with SHA-256 what cosign verifies with a public key: ECDSA over P-256 in DER, or
 * RSASSA-PKCS1-v1_5. */
export type CosignKey = {
  readonly publicKey: KeyObject;
  sign(data: Uint8Array): Promise<Uint8Array>;
};

/** Signs what notation verifies with a certificate. */
export type NotationKey = {
  /** DER: the signing certificate first, the root last. */
  readonly chain: readonly Uint8Array[];
  /** By the size of the key, as notation demands it. */
  readonly algorithm: NotationAlgorithm;
  /** As JWS wants it (RFC 7518 3.4, 3.5): of ECDSA the two numbers, one after the other. */
  sign(data: Uint8Array): Promise<Uint8Array>;
};

export type NotationAlgorithm = "ES256" | "PS256" | "PS384" | "PS512";

/** The keys of the moment; asked for each image. */
export interface SealKeys {
  cosign(): Promise<CosignKey>;
  notation(): Promise<NotationKey>;
}

/** The signed manifest. */
export type SealSubject = {
  readonly repository: RepositoryName;
  readonly digest: Digest;
  readonly mediaType: string;
  readonly size: number;
};

/** `cosign` is the signature image under the tag `sha256-<hex>.sig`, `bundle` the Sigstore bundle
 * that cosign 3 writes, `notation` the Notary Project's signature. */
export type SealFormat = "cosign" | "bundle" | "notation";

export type SealPorts = Pick<OciPorts, "blobs" | "manifests" | "files"> & {
  readonly keys: SealKeys;
  readonly now: () => Date;
};

export type SealOptions = {
  readonly formats: readonly SealFormat[];
  /** Host and port of the registry in the names of images; empty when unknown. */
  readonly registry: string;
  /** Name of the signing software, for information: `sealhouse/1.2.3`. */
  readonly agent: string;
  readonly caller: Caller;
};
