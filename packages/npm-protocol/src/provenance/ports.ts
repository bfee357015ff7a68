/** A statement about a version, signed by whoever made it. */
export type Attestation = {
  readonly predicateType: string;
  /** A Sigstore bundle, JSON text as it came. */
  readonly bundle: string;
};

export interface NpmAttestations {
  /** Of one version, oldest first; empty where there is none, or no such version. */
  of(name: string, version: string): Promise<readonly Attestation[]>;
}

/**
 * Whether signature, certificate and transparency log of a bundle are what they claim to be. What
 * the statement says was compared with the package before. `unchecked`: there is nothing to check
 * against, as no root of trust is configured.
 */
export type VerifyBundle = (
  bundle: string,
) => Promise<
  | { readonly status: "verified" | "unchecked" }
  | { readonly status: "refused"; readonly reason: string }
>;
