import { join, resolve } from "node:path";
import type { Extension } from "../extension.ts";
import { optionOf } from "./extension-option.ts";
import type { ExtensionChoice } from "./extension-option.ts";
import type { Settings } from "./settings.ts";

export type StorageConfig =
  | { readonly type: "FileSystem"; readonly path: string }
  | ({ readonly type: "Extension" } & ExtensionChoice);

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
  if (choice) return { type: "Extension", ...choice };
  const type = settings.get("Storage__Type");
  const path = settings.get("Storage__Path");
  return { type, path: path === undefined ? join(dataPath, "packages") : resolve(path) };
}
