import { join, resolve } from "node:path";
import type { Extension } from "../extension.ts";
import { optionOf } from "@sealhouse/settings";
import type { ExtensionChoice } from "@sealhouse/settings";
import type { Settings } from "./settings.ts";

export type StorageConfig =
  | { readonly type: "FileSystem"; readonly path: string }
  | ({
      readonly type: "Extension";
      /** Returns any setting or environment variable by name. */
      readonly named: (name: string) => string | undefined;
    } & ExtensionChoice);

export function parseStorage(
  settings: Settings,
  dataPath: string,
  extensions: readonly Extension[],
): StorageConfig {
  const choice = optionOf(
    settings,
    "Storage__Type",
    extensions.map((one) => one.storageTypes ?? {}),
  );
  if (choice) return { type: "Extension", ...choice, named: (name) => settings.named(name) };
  const type = settings.get("Storage__Type");
  const path = settings.get("Storage__Path");
  return { type, path: path === undefined ? join(dataPath, "packages") : resolve(path) };
}
