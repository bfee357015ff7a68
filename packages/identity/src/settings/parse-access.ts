import type { Settings } from "@sealhouse/settings";
import { ACCESS_SETTINGS } from "./access-table.ts";

/** Rights of people. */
export type AccessConfig = {
  /** New users wait for the approval of an administrator. */
  readonly requireNewUserApproval: boolean;
};

export function parseAccess(settings: Settings): AccessConfig {
  const own = settings.of(ACCESS_SETTINGS);
  return { requireNewUserApproval: own.get("Host__Access__RequireNewUserApproval") };
}
