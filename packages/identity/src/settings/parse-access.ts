import type { Settings } from "@sealhouse/settings";
import type { NewNames } from "../ownership/name-standing.ts";
import { ACCESS_SETTINGS } from "./access-table.ts";

/** Settings of the owners of names. */
export type AccessConfig = {
  /** Undefined: the database decides. */
  readonly owners: "off" | "report" | "enforce" | undefined;
  readonly newNames: NewNames;
};

/** Parses the settings of the owners of names. */
export function parseAccess(settings: Settings): AccessConfig {
  const own = settings.of(ACCESS_SETTINGS);
  return {
    owners: own.get("Host__Access__Owners"),
    newNames: own.get("Host__Access__NewNames"),
  };
}
