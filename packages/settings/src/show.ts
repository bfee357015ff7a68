import type { Entries } from "./entries.ts";
import { isKey, keyPattern } from "./key-pattern.ts";
import { foldKey } from "./fold-key.ts";
import type { Setting } from "./setting.ts";

/** A setting with its effective text and source; a secret is masked. */
export type ShownSetting = {
  readonly key: string;
  /** Undefined = not set, and there is no default. */
  readonly value?: string;
  /** `default`, or the source of the value. */
  readonly source: string;
  /** The default that `source` replaces; undefined without a default. */
  readonly default?: string;
};

const MASK = "********";

/** Every setting with its effective text and source; secrets are masked, whatever their value. */
export function showSettings(
  entries: Entries,
  table: ReadonlyMap<string, Setting>,
): readonly ShownSetting[] {
  return [...table].flatMap(([key, setting]) => {
    const written = [...entries]
      .filter(([folded]) => isKey(folded, key) || isBelow(folded, key, setting))
      .map(([, entry]) => entry);
    const fallback = setting.fallback ?? setting.otherwise;
    if (written.length === 0) {
      if (key.includes("*")) return [];
      return [{ key, ...(fallback !== undefined && { value: fallback }), source: "default" }];
    }
    return written.map((entry) => ({
      key: entry.key,
      value: isSecret(entry.key, setting) ? MASK : withoutCredentials(entry.text),
      source: entry.source,
      ...(fallback !== undefined && { default: fallback }),
    }));
  });
}

function isSecret(key: string, { secret, kind }: Setting): boolean {
  if (secret) return true;
  const fields = kind.type === "sections" ? (kind.secrets ?? []) : [];
  return fields.some((field) => foldKey(key).endsWith(`__${foldKey(field)}`));
}

function isBelow(folded: string, key: string, { kind }: Setting): boolean {
  if (kind.type === "named-sections") {
    const fields = Object.keys(kind.fields).map(foldKey).join("|");
    return new RegExp(`^${foldKey(key)}__(?!default__)(?:(?!__).)+__(?:${fields})(?:__|$)`).test(
      folded,
    );
  }
  const hasChildren = ["list", "named", "sections"].includes(kind.type);
  return hasChildren && new RegExp(`^${keyPattern(key)}__`).test(folded);
}

/** Masks credentials inside a URL. */
export function withoutCredentials(text: string): string {
  return text.replace(/(:\/\/)[^/@\s]+@/g, `$1${MASK}@`);
}
