import type { Settings } from "@sealhouse/settings";
import type { NewNames } from "../ownership/name-standing.ts";
import { ACCESS_SETTINGS } from "./access-table.ts";

/** Rights of people, and of the owners of names. */
export type AccessConfig = {
  /** New users wait for the approval of an administrator. */
  readonly requireNewUserApproval: boolean;
  readonly owners: "off" | "report" | "enforce";
  readonly newNames: NewNames;
};

export function parseAccess(settings: Settings): AccessConfig {
  const own = settings.of(ACCESS_SETTINGS);
  return {
    requireNewUserApproval: own.get("Host__Access__RequireNewUserApproval"),
    owners: own.get("Host__Access__Owners"),
    newNames: own.get("Host__Access__NewNames"),
  };
}
