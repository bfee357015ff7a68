import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the rights of people, and of the owners of names. */
export const ACCESS_SETTINGS = {
  Host__Access__RequireNewUserApproval: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Whether people who sign in for the first time wait until an administrator approves them " +
      "(`sealhouse user approve`). Until then they have no session, and their tokens do not work.",
  },
  Host__Access__Owners: {
    kind: { type: "choice", values: ["off", "report", "enforce"] },
    fallback: "enforce",
    about:
      "Whether only owners publish, change and delete a name: `report` writes events of what " +
      "`enforce` would refuse. Tokens without a user, service account or policy are not limited.",
  },
  Host__Access__NewNames: {
    kind: { type: "choice", values: ["anyone", "reserved"] },
    fallback: "anyone",
    about:
      "Who may publish a name that has no owner and no reservation: every publisher, or only " +
      "administrators, who may reserve it for others first.",
  },
} as const satisfies SettingsTable;
