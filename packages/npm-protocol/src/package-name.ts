import { builtinModules } from "node:module";

/** A name that is safe to look up, put in a path and show. */
export type PackageName = string & { readonly packageName: unique symbol };

const SCOPED = /^@([^/]+)\/([^/]+)$/;
const RESERVED = new Set(["node_modules", "favicon.ico"]);
/** Names that mean something to every JavaScript object. */
const OBJECT_WORDS = new Set(["__proto__", "constructor", "prototype"]);
/** Maximum length of a stored name. */
export const NAME_LENGTH_MAX = 214;
const OLD_LENGTH_MAX = 255;
const CORE_MODULES = new Set(builtinModules);

/** Reads a name by the rules that hold for packages that do not exist yet, as the public registry
 * has them; undefined when it is none. */
export function parseNewPackageName(text: string): PackageName | undefined {
  const name = parseOldPackageName(text);
  if (!name || name.length > NAME_LENGTH_MAX || name !== name.toLowerCase()) return undefined;
  const [, , base] = SCOPED.exec(name) ?? [undefined, undefined, name];
  if (base === undefined || /[~'!()*]/.test(base)) return undefined;
  // `@a/-` reads like the separator of a tarball path to every proxy on the way.
  if (base === "-" || CORE_MODULES.has(name)) return undefined;
  return name;
}

/** Reads a name that may be as old as npm itself: upper case, core modules and `~'!()*` pass. */
export function parseOldPackageName(text: string): PackageName | undefined {
  if (text.length === 0 || text.length > OLD_LENGTH_MAX) return undefined;
  const [, scope, base = text] = SCOPED.exec(text) ?? [];
  const parts = scope === undefined ? [base] : [scope, base];
  if (!parts.every((part) => isUrlSafe(part) && !part.startsWith("."))) return undefined;
  if (scope === undefined && /^[-_]/.test(base)) return undefined;
  if (OBJECT_WORDS.has(base) || RESERVED.has(text.toLowerCase())) return undefined;
  return text as PackageName;
}

/** `name` of `@scope/name`: what a tarball's file name starts with. */
export function basenameOf(name: PackageName): string {
  return name.slice(name.indexOf("/") + 1);
}

function isUrlSafe(text: string): boolean {
  try {
    return encodeURIComponent(text) === text;
  } catch {
    return false; // a lone surrogate
  }
}
