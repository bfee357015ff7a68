/** A signed statement about a version. */
export type Attestation = {
  readonly predicateType: string;
  /** A Sigstore bundle, unchanged JSON text. */
  readonly bundle: string;
};

/** Stored provenance statements. */
export interface NpmAttestations {
  /**
   * Statements on one version, oldest first; empty without statements, or for an absent version.
   */
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
