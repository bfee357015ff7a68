import type { RefusedPerson } from "./provider.ts";

/** Codes of refusals; `docs/identity-providers.md` explains each. */
export const REFUSAL_CODES = [
  "access-denied",
  "access-ended",
  "account-changed",
  "another-account",
  "answer-invalid",
  "client-refused",
  "code-refused",
  "directory-wrong",
  "email-domain-unknown",
  "email-domain-wrong",
  "email-not-verified",
  "graph-refused",
  "groups-missing",
  "groups-not-ids",
  "guest",
  "hosted-domain-missing",
  "hosted-domain-wrong",
  "id-token-expired",
  "id-token-key-unknown",
  "id-token-wrong",
  "issuer-wrong",
  "membership-pending",
  "not-a-member",
  "object-id-missing",
  "organization-changed",
  "organization-restricted",
  "provider-refused",
  "redirect-refused",
  "required-group-missing",
  "role-group-missing",
  "saml-required",
  "scope-missing",
  "second-factor-missing",
  "second-factor-unknown",
  "sign-in-not-fresh",
  "sign-in-time-unknown",
  "state-mismatch",
] as const;

type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Refusals that the operator has to end: asking again does not tell about the person. */
const FAULTS_OF_SETTINGS: ReadonlySet<string> = new Set<RefusalCode>([
  "client-refused",
  "email-domain-unknown",
  "graph-refused",
  "groups-missing",
  "groups-not-ids",
  "object-id-missing",
  "organization-restricted",
  "redirect-refused",
  "scope-missing",
  "second-factor-unknown",
]);

/** Refuses a person. `reason`: sentences for the person, with what to do. */
export function refuse(code: RefusalCode, reason: string, shown?: string): RefusedPerson {
  return { status: "refused", code, reason, ...(shown !== undefined && { shown }) };
}

/** Whether a refusal is a fault of the registration or the settings. */
export function isFaultOfSettings({ code }: RefusedPerson): boolean {
  return FAULTS_OF_SETTINGS.has(code);
}
