import { createHash } from "node:crypto";

/** Raised whenever a document's shape changes, so that no stored rendering of an older shape is
 * served after an upgrade. */
const RENDERING = 3;
/** Maximum length of a key in a catalog, in characters. */
const KEY_LENGTH_MAX = 400;

/** Kind of registration documents: with or without SemVer 2.0.0 versions. */
export type Hive = "semver1" | "semver2";

/** The documents that are rendered once per change and kept. */
export type DocumentKind =
  | { readonly type: "versions"; readonly id: string }
  | {
      /** The listed versions, for the search of a client. */
      readonly type: "completion";
      readonly id: string;
      readonly prerelease: boolean;
      readonly semVer2: boolean;
    }
  | { readonly type: "registration"; readonly hive: Hive; readonly id: string }
  | {
      readonly type: "registration-page";
      readonly hive: Hive;
      readonly id: string;
      readonly lower: string;
      readonly upper: string;
    }
  | {
      readonly type: "registration-leaf";
      readonly hive: Hive;
      readonly id: string;
      readonly version: string;
    };

/** All documents of one package go stale together. The recorder raises this group's revision. */
export function documentGroup(id: string): string {
  return `nuget/${id.toLowerCase()}`;
}

/**
 * One rendering per document and public address, because documents hold absolute links. `variant`:
 * that of `IdState`, so that no document survives a change of the rules.
 */
export function documentKey(kind: DocumentKind, base: string, variant?: string): string {
  const form = variant === undefined ? nameOf(kind) : `${nameOf(kind)} ~${variant}`;
  return keyInGroup(documentGroup(kind.id), `${RENDERING}/${form}@${base}`);
}

/** At most 400 characters: what is longer has a hash in place of its name. */
export function keyInGroup(group: string, name: string): string {
  const key = `${group}/${name}`;
  if (key.length <= KEY_LENGTH_MAX) return key;
  return `${group}/${createHash("sha256").update(name).digest("hex")}`;
}

function nameOf(kind: DocumentKind): string {
  switch (kind.type) {
    case "versions":
      return "versions";
    case "completion":
      return `completion/${kind.prerelease}/${kind.semVer2}`;
    case "registration":
      return `${kind.hive}/index`;
    case "registration-page":
      return `${kind.hive}/page/${kind.lower}/${kind.upper}`.toLowerCase();
    case "registration-leaf":
      return `${kind.hive}/leaf/${kind.version}`.toLowerCase();
  }
}
