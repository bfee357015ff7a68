import type { UserState } from "@sealhouse/identity";

/** The next step for a user whose state is not the wanted one. */
export const USER_ADVICE = {
  pending: "Approve the user: sealhouse user approve",
  active: "Nothing was changed.",
  suspended: "The user becomes active by the next sign-in, or now: sealhouse user approve",
  blocked: "Unblock the user: sealhouse user unblock",
} as const satisfies Record<UserState, string>;
