/** What a package carries when it arrives. */
export type Existing =
  | "none"
  | "author"
  /** Signed, but neither as an author nor as a repository. */
  | "unknown"
  | "repository"
  /** Signed by somebody else first, countersigned by a repository. */
  | "countersigned"
  /** No client would accept it, or it is about other bytes. */
  | "broken";

export type SignaturePolicy = "ReSign" | "Reject";
export type SigningMoment = "upload" | "download";

/** Where a package comes from: somebody pushed it here, or it was taken over from another feed. */
export type SigningOrigin = "published" | "mirrored";

/** What became of an attempt to sign: it may go better later, or not before an operator acts. */
export type SigningFailure = "passing" | "lasting";

/** Everything that the decision about one package depends on. */
export type SigningCase = {
  /** Whose certificate signs: nobody's, the one the host makes, one that an operator provides. */
  readonly signing: "off" | "self-signed" | "provided";
  readonly moment: SigningMoment;
  readonly existing: Existing;
  readonly policy: SignaturePolicy;
  readonly origin: SigningOrigin;
  /** Set when signing was tried and failed. */
  readonly failure?: SigningFailure;
  /** The operator wants clients to hear that every package is signed. */
  readonly promisesAllSigned?: boolean;
};

export type SigningStep =
  | "sign"
  | "countersign"
  | "strip-then-sign"
  | "replace-countersignature"
  /** Stored or served as it came, and nothing is wrong with that. */
  | "leave"
  /** The same, with a warning: it should have a signature of ours. */
  | "leave-with-warning"
  | "refuse-signed"
  | "refuse-broken"
  /** Not before an operator acts. */
  | "refuse"
  | "refuse-for-now";

/** The specification's state table: what is done with a package, and nothing else decides it. */
export function signingStep(given: SigningCase): SigningStep {
  const { signing, moment, existing, policy, failure } = given;
  if (signing === "off") return "leave";
  if (failure) return afterFailure(given, failure);
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
      if (policy === "Reject") return rejected(given);
      return existing === "repository" ? "strip-then-sign" : "replace-countersignature";
  }
}

/** Nobody publishes what is mirrored, and nearly all of it is signed by where it comes from. */
function rejected({ moment, origin }: SigningCase): SigningStep {
  return moment === "upload" && origin === "published" ? "refuse-signed" : "leave-with-warning";
}

/**
 * A feed whose certificate nobody had to bring lets packages pass. One with a certificate that
 * somebody cared for stores nothing unsigned, and does not serve unsigned what is signed a minute
 * later; but it does not go dark when the certificate has ended, unless it promised signatures.
 */
function afterFailure(given: SigningCase, failure: SigningFailure): SigningStep {
  const { signing, moment, promisesAllSigned = false } = given;
  if (signing === "self-signed") return "leave-with-warning";
  if (failure === "passing") return "refuse-for-now";
  return moment === "upload" || promisesAllSigned ? "refuse" : "leave-with-warning";
}
