import { readFile } from "node:fs/promises";
import { coversName, parsePatterns } from "@sealhouse/identity";
import { parseOldPackageName, parseVersionRange } from "@sealhouse/npm-protocol";
import type { VersionRange } from "@sealhouse/npm-protocol";
import { SourceError, sourceFailed } from "../candidate.ts";

export type ChoiceOptions = {
  /** `left-pad,@acme/widgets@^1.2.0`. */
  readonly packages?: string;
  /** A file with one of them a line. */
  readonly packagesFrom?: string;
  /** `@acme/*,widgets-*`. */
  readonly pattern?: string;
};

/** What of a source is wanted. */
export type PackageChoice = {
  /** Undefined where all that the source has are looked at. */
  readonly named: readonly string[] | undefined;
  /** The scopes that all patterns are in; none where a pattern is in no scope. */
  readonly scopes: readonly string[];
  covers(name: string): boolean;
  includes(name: string, version: string): boolean;
};

/** @throws {SourceError} for what is no name, range or pattern, and a file that cannot be read */
export async function chosenPackages(options: ChoiceOptions): Promise<PackageChoice> {
  const { packages, packagesFrom } = options;
  const lines = packagesFrom === undefined ? [] : await linesOf(packagesFrom);
  const texts = [...(packages?.split(",") ?? []), ...lines].map((text) => text.trim());
  const wanted = texts.filter((text) => text !== "").map(parseWanted);
  const byName = Map.groupBy(wanted, ({ name }) => name);
  const patterns = patternsIn(options.pattern ?? "");
  const isNamed = packages !== undefined || packagesFrom !== undefined;
  return {
    named: isNamed ? [...byName.keys()] : undefined,
    scopes: scopesOf(patterns),
    covers: (name) =>
      patterns.length === 0 || patterns.some((pattern) => coversName(pattern, "npm", name)),
    includes(name, version) {
      const ranges = byName.get(name);
      return !ranges || ranges.some(({ range }) => range?.includes(version) ?? true);
    },
  };
}

type Wanted = { readonly name: string; readonly range?: VersionRange };

/** `@acme/widgets@^1.2.0`: the second `@` parts name and range. */
function parseWanted(text: string): Wanted {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  if (parseOldPackageName(name) === undefined) {
    throw new SourceError(`"${text}" is no package name.`);
  }
  if (at === -1) return { name };
  const range = parseVersionRange(text.slice(at + 1));
  if (!range) throw new SourceError(`"${text}" has no range of versions behind its name.`);
  return { name, range };
}

async function linesOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(sourceFailed);
  return text.split("\n").map((line) => line.replace(/#.*/, ""));
}

function patternsIn(text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    return sourceFailed(error);
  }
}

function scopesOf(patterns: readonly string[]): readonly string[] {
  const scopes = patterns.map((pattern) => /^@[^/*]+(?=\/)/.exec(pattern)?.[0]);
  const known = scopes.filter((scope) => scope !== undefined);
  return known.length === scopes.length ? [...new Set(known)] : [];
}
