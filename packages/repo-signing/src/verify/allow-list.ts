import type { ParsedSigner } from "../signature/parse-signature.ts";
import type { VerificationIssue } from "./verify-signer.ts";

/** One `trustedSigners` entry of a nuget.config. */
export type TrustedSigner = {
  /** SHA-256 of the signing certificate, hex. */
  readonly fingerprint: string;
  /** The signer concerned; the first signer by default. */
  readonly as?: "author" | "repository";
  /** For repositories: one of these must own the package. */
  readonly owners?: readonly string[];
  /**
   * The certificate's root need not be trusted. As in the client this works only when `fingerprint`
   * is in upper case.
   */
  readonly allowUntrustedRoot?: boolean;
};

/** The feed's RepositorySignatures resource. */
export type RepositorySignatures = {
  readonly allRepositorySigned: boolean;
  /** SHA-256 of each listed certificate, hex. */
  readonly fingerprints: readonly string[];
};

export type Signers = {
  readonly primary: ParsedSigner;
  readonly countersigner: ParsedSigner | undefined;
};

/** Whether the client forgives this certificate its unknown root. */
export function isRootExempt(trusted: readonly TrustedSigner[], fingerprint: string): boolean {
  const upper = fingerprint.toUpperCase();
  return trusted.some(
    (trustedSigner) =>
      trustedSigner.allowUntrustedRoot === true && trustedSigner.fingerprint === upper,
  );
}

/** NU3034 unless one of the signers is listed; an empty list counts only where one is needed. */
export function trustedSignerIssues(
  trusted: readonly TrustedSigner[],
  signers: Signers,
  how: { readonly isNeeded: boolean; readonly level: VerificationIssue["level"] },
): readonly VerificationIssue[] {
  if (trusted.length === 0) {
    if (!how.isNeeded) return [];
    const message = "The policy requires trusted signers, and none are configured.";
    return [{ level: "error", code: "NU3034", message }];
  }
  if (trusted.some((trustedSigner) => isNamed(trustedSigner, signers))) return [];
  const message = "The package has no signature of a trusted signer.";
  return [{ level: how.level, code: "NU3034", message }];
}

/** NU3034 unless a certificate of the feed's list signed as a repository. */
export function repositoryIssues(
  { allRepositorySigned, fingerprints }: RepositorySignatures,
  signers: Signers,
  level: VerificationIssue["level"],
): readonly VerificationIssue[] {
  if (fingerprints.length === 0) {
    if (!allRepositorySigned) return [];
    const message = "The feed says that it signs every package and lists no certificate.";
    return [{ level: "error", code: "NU3034", message }];
  }
  if (fingerprints.some((fingerprint) => isNamed({ fingerprint, as: "repository" }, signers))) {
    return [];
  }
  const message = "The package was signed by no certificate that the feed lists.";
  return [{ level, code: "NU3034", message }];
}

function isNamed(trusted: TrustedSigner, { primary, countersigner }: Signers): boolean {
  const isOf = (signer: ParsedSigner | undefined) =>
    signer?.certificate?.fingerprint === trusted.fingerprint.toLowerCase();
  if (trusted.as === undefined) return isOf(primary);
  if (trusted.as === "author") return primary.kind === "author" && isOf(primary);
  const repository = primary.kind === "repository" ? primary : countersigner;
  return isOf(repository) && isOwned(repository, trusted.owners ?? []);
}

function isOwned(repository: ParsedSigner | undefined, owners: readonly string[]): boolean {
  const stated = new Set(repository?.packageOwners.map((owner) => owner.toLowerCase()));
  return owners.length === 0 || owners.some((owner) => stated.has(owner.toLowerCase()));
}
