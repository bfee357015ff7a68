import { foldKey } from "@sealhouse/settings";
import type { Setting } from "@sealhouse/settings";
import { olderSettingOf, refusedAddress } from "./older-host.ts";
import type { OlderSetting } from "./older-host.ts";
import type { Settings } from "./settings.ts";
import { STORE_KEYS } from "./store-keys.ts";

const TYPE = "Storage__Type";

/** Adds a problem for each key that this version cannot follow. Keys in `table`, which extensions
 * extend, are left to their owners. */
export function refuseKeys(settings: Settings, table: ReadonlyMap<string, Setting>): void {
  const knownKeys = new Set([...table.keys()].map(foldKey));
  for (const { key, text } of settings.entries.values()) {
    if (knownKeys.has(foldKey(key)) || text.trim() === "") continue;
    const problem = problemOf(settings, key, text);
    if (problem !== undefined) settings.problem(key, problem);
  }
}

/** Whether `refuseKeys` decides about a key. */
export function isRefusedElsewhere(key: string): boolean {
  return typesOfKey(key) !== undefined || olderSettingOf(key) !== undefined;
}

function problemOf(settings: Settings, key: string, text: string): string | undefined {
  if (foldKey(key) === "storage__connectionstring") {
    const reason = refusedAddress(text);
    if (reason !== undefined) return `is not supported: ${reason}; use Storage__Path`;
  }
  const types = typesOfKey(key);
  if (types !== undefined) return otherStore(settings, types);
  const older = olderSettingOf(foldKey(key));
  if (!older || isHarmless(settings, older, text)) return undefined;
  return `is not a setting of this host: ${older.instead}`;
}

/** The storage types that have a key, when packages of ours bring them. */
function typesOfKey(key: string): readonly string[] | undefined {
  return Object.entries(STORE_KEYS).find(([name]) => foldKey(name) === foldKey(key))?.[1];
}

function otherStore(settings: Settings, types: readonly string[]): string | undefined {
  if (isRefused(settings, TYPE)) return undefined;
  const type = settings.textOf(TYPE) ?? "FileSystem";
  const plural = types.length === 1 ? "type" : "types";
  return (
    `is a setting of the storage ${plural} ${types.join(", ")}, and ${TYPE} is ${type}; ` +
    `change ${TYPE}, or leave the setting out`
  );
}

function isHarmless(settings: Settings, allowance: OlderSetting, text: string): boolean {
  const { harmless, disabledBy, selectedBy } = allowance;
  const equals = (value: string, other: string) =>
    value.toLowerCase() === other.trim().toLowerCase();
  if (selectedBy !== undefined && isRefused(settings, selectedBy)) return true;
  if (harmless?.some((value) => equals(value, text))) return true;
  return (
    disabledBy !== undefined && equals(disabledBy.value, settings.textOf(disabledBy.key) ?? "")
  );
}

function isRefused({ problems }: Settings, key: string): boolean {
  return problems.some((problem) => problem.startsWith(`${key}:`));
}
