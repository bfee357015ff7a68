import { foldKey, unknownKeys } from "@sealhouse/settings";
import type { Entries } from "@sealhouse/settings";
import type { Extension } from "../extension.ts";
import { EXTENSIBLE_KEYS, VALUES_OF_PACKAGES } from "./package-values.ts";
import type { ValuesOfPackages } from "./package-values.ts";
import { isRefusedElsewhere } from "./refused-keys.ts";
import { settingsTable } from "./table.ts";

/** Warnings about unknown keys. Keys that other checks report, and keys of `packages` that are not
 * loaded, give no warning. */
export function unknownKeysOf(
  entries: Entries,
  extensions: readonly Extension[],
  packages: ValuesOfPackages = VALUES_OF_PACKAGES,
): readonly string[] {
  const table = settingsTable(extensions);
  const knownKeys = [...table.keys()].map(foldKey);
  const unloaded = sectionsOf(packages).filter(
    (section) => !knownKeys.some((key) => key.startsWith(section)),
  );
  return unknownKeys(
    entries,
    table,
    (key) => isRefusedElsewhere(key) || unloaded.some((section) => key.startsWith(section)),
  );
}

/** `Signing__Mode=AwsKms` has its settings in `Signing__AwsKms`, a storage type likewise. */
function sectionsOf(packages: ValuesOfPackages): readonly string[] {
  return EXTENSIBLE_KEYS.flatMap((key) => {
    const [section = ""] = key.split("__");
    return Object.keys(packages[key]).map((value) => `${foldKey(`${section}__${value}`)}__`);
  });
}
