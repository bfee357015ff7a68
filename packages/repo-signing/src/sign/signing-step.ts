/** Signatures of a package at its arrival. */
export type Existing =
  | "none"
  | "author"
  /** Signed, but neither as an author nor as a repository. */
  | "unknown"
  | "repository"
  /** A repository countersigned the signature of another first signer. */
  | "countersigned"
  /** No client would accept it, or it is about other bytes. */
  | "broken";

/** Treatment of repository signatures of other feeds. */
export type SignaturePolicy = "ReSign" | "Reject";

/**
 * Treatment of the repository signatures of one package source. `Resign`: ours replaces them.
 * `Merge`: they stay. `TrustedCerts`: those of its trusted certificates stay. Signatures of authors
 * always stay, and a package without a signature of a repository gets ours.
 */
export type MirrorPolicy = "Resign" | "Merge" | "TrustedCerts";

/** The moment of the decision: a push or a download. */
export type SigningMoment = "upload" | "download";

/** Origin of a package: a push, or an import from another feed. */
export type SigningOrigin = "published" | "mirrored";

/** Result of a failed attempt to sign: temporary, or until an operator acts. */
export type SigningFailure = "passing" | "lasting";

/** Everything that the decision about one package depends on. */
export type SigningCase = {
  /** Owner of the signing certificate: none, the host, or an operator. */
  readonly signing: "off" | "self-signed" | "provided";
  readonly moment: SigningMoment;
  readonly existing: Existing;
  readonly policy: SignaturePolicy;
  readonly origin: SigningOrigin;
  /** The rule of the package source; then `policy` does not count. */
  readonly mirror?: { readonly policy: MirrorPolicy; readonly isTrusted: boolean } | undefined;
  /** Set when signing was tried and failed. */
  readonly failure?: SigningFailure;
  /** The operator wants clients to hear that every package is signed. */
  readonly promisesAllSigned?: boolean;
};

/** Decision of `signingStep` about one package. */
export type SigningStep =
  | "sign"
  | "countersign"
  | "strip-then-sign"
  | "replace-countersignature"
  /** Stored or served unchanged, which is correct. */
  | "leave"
  /** The same, because the signature of another repository is to stay. */
  | "keep"
  /** The same, with a warning: it should have a signature of ours. */
  | "leave-with-warning"
  | "refuse-signed"
  | "refuse-broken"
  /** Not before an operator acts. */
  | "refuse"
  | "refuse-for-now";

/** The specification's state table: what is done with a package, and nothing else decides it. */
export function signingStep(signingCase: SigningCase): SigningStep {
  const { signing, moment, existing, policy, failure } = signingCase;
  if (signing === "off") return "leave";
  if (failure) return afterFailure(signingCase, failure);
  switch (existing) {
    case "none":
      return "sign";
    case "author":
    case "unknown":
      return "countersign";
    case "broken":
      return moment === "upload" ? "refuse-broken" : "leave-with-warning";
    case "repository":
    case "countersigned":
      if (isKept(signingCase)) return "keep";
      if (policy === "Reject" && !signingCase.mirror) return rejected(signingCase);
      return existing === "repository" ? "strip-then-sign" : "replace-countersignature";
  }
}

function isKept({ mirror }: SigningCase): boolean {
  if (!mirror) return false;
  return mirror.policy === "Merge" || (mirror.policy === "TrustedCerts" && mirror.isTrusted);
}

/** Mirrored packages were not published here, and their source has signed nearly all of them. */
function rejected({ moment, origin }: SigningCase): SigningStep {
  return moment === "upload" && origin === "published" ? "refuse-signed" : "leave-with-warning";
}

/**
 * A feed with its own certificate accepts packages without a signature. A feed with an operator's
 * certificate stores nothing unsigned, and does not serve a package unsigned that it signs a minute
 * later. It still serves reads when the certificate has expired, unless it advertises signatures.
 */
function afterFailure(signingCase: SigningCase, failure: SigningFailure): SigningStep {
  const { signing, moment, promisesAllSigned = false } = signingCase;
  if (signing === "self-signed") return "leave-with-warning";
  if (failure === "passing") return "refuse-for-now";
  return moment === "upload" || promisesAllSigned ? "refuse" : "leave-with-warning";
}
