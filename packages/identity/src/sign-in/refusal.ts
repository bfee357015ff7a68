import type { RefusedPerson } from "./provider.ts";

/** Refusals that the operator has to end: asking again does not tell about the person. */
const FAULTS_OF_SETTINGS: ReadonlySet<string> = new Set([
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
export function refuse(code: string, reason: string, shown?: string): RefusedPerson {
  return { status: "refused", code, reason, ...(shown !== undefined && { shown }) };
}

/** Whether a refusal is a fault of the registration or the settings. */
export function isFaultOfSettings({ code }: RefusedPerson): boolean {
  return FAULTS_OF_SETTINGS.has(code);
}
