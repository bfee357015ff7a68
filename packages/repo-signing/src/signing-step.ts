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

export type SigningStep =
  | "sign"
  | "countersign"
  | "strip-then-sign"
  | "replace-countersignature"
  | "refuse-signed"
  | "refuse-broken"
  | "serve-as-is";

/** The specification's state table: what is done with a package, and nothing else decides it. */
export function signingStep(
  existing: Existing,
  policy: SignaturePolicy,
  moment: SigningMoment,
): SigningStep {
  switch (existing) {
    case "none":
      return "sign";
    case "author":
    case "unknown":
      return "countersign";
    case "broken":
      return moment === "upload" ? "refuse-broken" : "serve-as-is";
    case "repository":
    case "countersigned":
      if (policy === "Reject") return moment === "upload" ? "refuse-signed" : "serve-as-is";
      return existing === "repository" ? "strip-then-sign" : "replace-countersignature";
  }
}
