import { readFile } from "node:fs/promises";
import { coversName, parsePatterns } from "@sealhouse/identity";
import { parseOldPackageName, parseVersionRange } from "@sealhouse/npm-protocol";
import type { VersionRange } from "@sealhouse/npm-protocol";
import { SourceError, throwSourceError } from "../../source-error.ts";

/** Options that select packages and versions. */
export type ChoiceOptions = {
  /** `left-pad,@acme/widgets@^1.2.0`. */
  readonly packages?: string;
  /** File with one of them per line. */
  readonly packagesFrom?: string;
  /** `@acme/*,widgets-*`. */
  readonly pattern?: string;
};

/** The packages and versions of a source to import. */
export type PackageChoice = {
  /** Undefined: all names of the source. */
  readonly names: readonly string[] | undefined;
  /** Scopes that contain all patterns. Empty when a pattern has no scope. */
  readonly scopes: readonly string[];
  covers(name: string): boolean;
  includes(name: string, version: string): boolean;
};

/** @throws {SourceError} for an invalid name, range or pattern, or a file that cannot be read */
export async function parsePackageChoice(options: ChoiceOptions): Promise<PackageChoice> {
  const { packages, packagesFrom } = options;
  const lines = packagesFrom === undefined ? [] : await linesOf(packagesFrom);
  const texts = [...(packages?.split(",") ?? []), ...lines].map((text) => text.trim());
  const selections = texts.filter((text) => text !== "").map(parseSelection);
  const byName = Map.groupBy(selections, ({ name }) => name);
  const patterns = patternsIn(options.pattern ?? "");
  const hasNames = packages !== undefined || packagesFrom !== undefined;
  return {
    names: hasNames ? [...byName.keys()] : undefined,
    scopes: scopesOf(patterns),
    covers: (name) =>
      patterns.length === 0 || patterns.some((pattern) => coversName(pattern, "npm", name)),
    includes(name, version) {
      const ranges = byName.get(name);
      return !ranges || ranges.some(({ range }) => range?.includes(version) ?? true);
    },
  };
}

type Selection = { readonly name: string; readonly range?: VersionRange };

/** Parses `@acme/widgets@^1.2.0`: the second `@` separates name and range. */
function parseSelection(text: string): Selection {
  const index = text.indexOf("@", 1);
  const name = index === -1 ? text : text.slice(0, index);
  if (parseOldPackageName(name) === undefined) {
    throw new SourceError(`"${text}" is not a package name. Use a name like @acme/widgets.`);
  }
  if (index === -1) return { name };
  const range = parseVersionRange(text.slice(index + 1));
  if (!range)
    throw new SourceError(
      `"${text}" has an invalid version range. Use a form like widgets@^1.2.0.`,
    );
  return { name, range };
}

async function linesOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(throwSourceError);
  return text.split("\n").map((line) => line.replace(/#.*/, ""));
}

function patternsIn(text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    return throwSourceError(error);
  }
}

function scopesOf(patterns: readonly string[]): readonly string[] {
  const scopes = patterns.map((pattern) => /^@[^/*]+(?=\/)/.exec(pattern)?.[0]);
  const knownScopes = scopes.filter((scope) => scope !== undefined);
  return knownScopes.length === scopes.length ? [...new Set(knownScopes)] : [];
}
