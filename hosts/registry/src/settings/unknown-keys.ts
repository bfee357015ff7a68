import { foldKey, unknownKeys } from "@sealhouse/settings";
import type { Entries } from "@sealhouse/settings";
import type { Extension } from "../extension.ts";
import { NOT_BUILT, VALUES_OF_PACKAGES } from "./not-built.ts";
import { olderSettingOf } from "./older-host.ts";
import { settingsTable } from "./table.ts";

const SECTIONS_OF_PACKAGES = Object.keys(VALUES_OF_PACKAGES["Signing__Mode"] ?? {}).map(
  (mode) => `${foldKey(`Signing__${mode}`)}__`,
);

/** Warnings about unknown keys. Keys that other checks report, and keys of signing modes whose
 * package is not loaded, give no warning. */
export function unknownKeysOf(
  entries: Entries,
  extensions: readonly Extension[],
): readonly string[] {
  const table = settingsTable(extensions);
  const known = [...table.keys()].map(foldKey);
  const unloaded = SECTIONS_OF_PACKAGES.filter(
    (section) => !known.some((key) => key.startsWith(section)),
  );
  return unknownKeys(
    entries,
    table,
    (key) => isReportedElsewhere(key) || unloaded.some((section) => key.startsWith(section)),
  );
}

function isReportedElsewhere(key: string): boolean {
  const isNotBuilt = NOT_BUILT.some(({ section }) =>
    `${key}__`.startsWith(`${foldKey(section)}__`),
  );
  return isNotBuilt || olderSettingOf(key) !== undefined;
}
