import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the rights of people. */
export const ACCESS_SETTINGS = {
  Host__Access__RequireNewUserApproval: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Whether people who sign in for the first time wait until an administrator approves them " +
      "(`sealhouse user approve`). Until then they have no session, and their tokens do not work.",
  },
} as const satisfies SettingsTable;
