import type { Framework } from "./target-framework-names.ts";
import { formatFramework, parseFramework } from "./target-framework-names.ts";

// Which projects can use a package, the way the public gallery computes it: within one family the
// same version or a later one, and .NET Standard by the table below. A platform's own version
// (`-windows10.0.19041`) is not compared. Fallbacks that only work with a warning do not count.

/** Known versions of each framework in order, by folder name. */
const LINES: readonly (readonly string[])[] = [
  `net11 net20 net35 net40 net403 net45 net451 net452 net46 net461 net462 net47 net471 net472
   net48 net481`,
  `netcoreapp1.0 netcoreapp1.1 netcoreapp2.0 netcoreapp2.1 netcoreapp2.2 netcoreapp3.0
   netcoreapp3.1 net5.0 net6.0 net7.0 net8.0 net9.0 net10.0`,
  `netstandard1.0 netstandard1.1 netstandard1.2 netstandard1.3 netstandard1.4 netstandard1.5
   netstandard1.6 netstandard2.0 netstandard2.1`,
  "uap10.0 uap10.0.15138 uap10.0.16299",
  "win8 win81",
  "wpa81",
  "monoandroid10",
  "xamarinios10",
  "xamarinmac20",
  "tizen3.0 tizen4.0 tizen6.0",
].map((line) => line.split(/\s+/));

/** The first of each line that has a version of .NET Standard. */
const STANDARDS: Readonly<Record<string, readonly string[]>> = {
  "netstandard1.0": ["net45", "netcoreapp1.0", "uap10.0", "win8", "wpa81"],
  "netstandard1.1": ["net45", "netcoreapp1.0", "uap10.0", "win8", "wpa81"],
  "netstandard1.2": ["net451", "netcoreapp1.0", "uap10.0", "win81", "wpa81"],
  "netstandard1.3": ["net46", "netcoreapp1.0", "uap10.0"],
  "netstandard1.4": ["net461", "netcoreapp1.0", "uap10.0"],
  "netstandard1.5": ["net461", "netcoreapp1.0", "uap10.0.15138"],
  "netstandard1.6": ["net461", "netcoreapp1.0", "uap10.0.15138"],
  "netstandard2.0": ["net461", "netcoreapp2.0", "uap10.0.15138"],
  "netstandard2.1": ["netcoreapp3.0"],
};
const EVERY_STANDARD = ["monoandroid10", "xamarinios10", "xamarinmac20"];
const TIZEN_STANDARD = "tizen4.0";

/** The value for packages without frameworks: all projects can use them. */
export const ANY_FRAMEWORK = "any";

/** Every project that can use a package which names these frameworks, as keys of an index. */
export function frameworkKeys(names: readonly string[]): readonly string[] {
  const frameworks = names.flatMap((name) => parseFramework(name) ?? []).flatMap(supported);
  const keys = new Set(frameworks.flatMap(usersOf));
  return keys.size === 0 ? [ANY_FRAMEWORK] : [...keys];
}

/** The keys of which a package must have one, to be of use for a project of this framework. */
export function acceptedKeys(name: string): readonly string[] {
  const framework = parseFramework(name);
  if (!framework) return [name.trim().toLowerCase(), ANY_FRAMEWORK];
  const { platform: _platform, platformVersion: _version, ...plain } = framework;
  const keys = [framework, plain].flatMap((candidate) => [
    keyOf(candidate),
    ...latestKnown(candidate),
  ]);
  return [...new Set([...keys, ANY_FRAMEWORK])];
}

/**
 * The framework filter of a search, from the values of its parameters. `any`: support for one of
 * them is enough.
 */
export function frameworkGroups(
  names: readonly string[],
  mode: "all" | "any",
): readonly (readonly string[])[] {
  const groups = names.map(acceptedKeys);
  return mode === "all" || groups.length === 0 ? groups : [[...new Set(groups.flat())]];
}

/** A portable library supports several. */
function supported(framework: Framework): readonly Framework[] {
  const { family, profile = "" } = framework;
  if (family === ANY_FRAMEWORK || family === "agnostic") return [];
  if (family !== "portable" || profile.startsWith("profile")) return [framework];
  return profile.split("+").flatMap((name) => parseFramework(name) ?? []);
}

function usersOf(framework: Framework): readonly string[] {
  const { platform, platformVersion: _version, ...plain } = framework;
  const ending = platform === undefined ? "" : `-${platform}`;
  const own = laterThan(plain).map((name) => name + ending);
  const standard = framework.family === "netstandard" ? standardUsers(framework) : [];
  return [keyOf(framework), ...own, ...standard];
}

function standardUsers(framework: Framework): readonly string[] {
  const floor = laterThan(framework)[0] ?? "";
  const starts = STANDARDS[floor] ?? [];
  const users = [...starts, ...EVERY_STANDARD, TIZEN_STANDARD].flatMap((start) => {
    const line = LINES.find((names) => names.includes(start)) ?? [];
    return line.slice(line.indexOf(start));
  });
  return users;
}

/** The known frameworks of the same line that are not older. */
function laterThan(framework: Framework): readonly string[] {
  const line = lineOf(framework);
  return line.filter((candidate) => compare(candidate, framework) >= 0).map(formatFramework);
}

/** For a version newer than this table, the latest version before it. */
function latestKnown(framework: Framework): readonly string[] {
  const knownFramework = lineOf(framework).findLast(
    (candidate) => compare(candidate, framework) <= 0,
  );
  if (!knownFramework) return [];
  const { platform } = framework;
  return [formatFramework({ ...knownFramework, ...(platform !== undefined && { platform }) })];
}

function lineOf({ family, profile }: Framework): readonly Framework[] {
  if (profile !== undefined && profile !== "client") return [];
  return KNOWN.get(family) ?? [];
}

const KNOWN = new Map(
  LINES.map((line) => {
    const frameworks = line.flatMap((name) => parseFramework(name) ?? []);
    return [frameworks[0]?.family ?? "", frameworks];
  }),
);

function keyOf({ platformVersion: _version, ...framework }: Framework): string {
  return formatFramework(framework);
}

function compare(framework: Framework, other: Framework): number {
  for (let index = 0; index < 4; index++) {
    const difference = (framework.version[index] ?? 0) - (other.version[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
