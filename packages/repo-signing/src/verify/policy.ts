/** Tolerances of a verification, as in the client's own three policies. */
export type VerificationPolicy = "verify" | "require" | "accept";

/** Tolerances of a verification policy; see `POLICY_RULES`. */
export type PolicyRules = {
  readonly allowUnsigned: boolean;
  /** Broken formats and wrong CMS signatures warn only. */
  readonly allowIllegal: boolean;
  /** Untrusted roots and expired certificates warn only. */
  readonly allowUntrusted: boolean;
  /** An invalid timestamp counts as missing. */
  readonly allowInvalidTimestamp: boolean;
  /** When a repository countersignature is looked at. */
  readonly countersignature: "if-present" | "if-needed";
  /** A signer must be on the list of trusted signers; default false. */
  readonly requireTrustedSigner?: boolean;
};

/** The rules of each policy, as in NuGet's clients. */
export const POLICY_RULES: Readonly<Record<VerificationPolicy, PolicyRules>> = {
  /** `dotnet nuget verify` */
  verify: {
    allowUnsigned: false,
    allowIllegal: false,
    allowUntrusted: false,
    allowInvalidTimestamp: false,
    countersignature: "if-present",
  },
  /** Restore with `signatureValidationMode=require`. */
  require: {
    allowUnsigned: false,
    allowIllegal: false,
    allowUntrusted: false,
    allowInvalidTimestamp: true,
    countersignature: "if-needed",
    requireTrustedSigner: true,
  },
  /** The default of restore. */
  accept: {
    allowUnsigned: true,
    allowIllegal: true,
    allowUntrusted: true,
    allowInvalidTimestamp: true,
    countersignature: "if-needed",
  },
};

/** A feed that says `allRepositorySigned` takes back two of the things that restore forgives. */
export function rulesFor(
  policy: VerificationPolicy | PolicyRules,
  allRepositorySigned: boolean,
): PolicyRules {
  const rules = typeof policy === "string" ? POLICY_RULES[policy] : policy;
  return allRepositorySigned ? { ...rules, allowUnsigned: false, allowUntrusted: false } : rules;
}
