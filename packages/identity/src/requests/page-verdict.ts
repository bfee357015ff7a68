import type { Caller, PackageVerdict } from "@sealhouse/request-types";

/** The verdict about a request of a page. */
export type PageVerdict =
  | PackageVerdict
  /** Granted as soon as the session confirms this action. */
  | { readonly status: "step-up"; readonly caller: Caller };

/** The refusal of a session that has not confirmed the action. */
export const UNCONFIRMED = {
  status: "denied",
  reason: "Confirm this with a passkey or sign in again first.",
} as const;

/** Refuses a missing confirmation: programs cannot confirm an action, only pages can. */
export function withoutStepUp(verdict: PageVerdict): PackageVerdict {
  return verdict.status === "step-up" ? UNCONFIRMED : verdict;
}
