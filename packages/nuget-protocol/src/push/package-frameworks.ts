import type { DependencyGroup } from "../manifest/nuspec-parts.ts";
import { isTargetFramework } from "../notation/target-framework.ts";
import { shortFrameworkName } from "../notation/target-framework-names.ts";

/** Where the folder of a framework lies: `lib/net8.0/`, `runtimes/linux-x64/lib/net8.0/`. */
const FOLDERS = [
  /^(?:lib|ref|build|buildTransitive|tools)\/([^/]+)\/./i,
  /^runtimes\/[^/]+\/lib\/([^/]+)\/./i,
  /^contentFiles\/[^/]+\/([^/]+)\/./i,
];
const FRAMEWORKS_MAX = 200;

/** The frameworks that a package says it is for, by its dependency groups and by the folders of its
 * files, as short folder names. Empty when it names none, which means any. */
export function packageFrameworks(
  groups: readonly DependencyGroup[],
  entryPaths: readonly string[],
): readonly string[] {
  const folders = new Set(entryPaths.flatMap((path) => folderOf(path) ?? []));
  const candidates = [
    ...groups.flatMap(({ targetFramework }) => targetFramework ?? []),
    ...folders,
  ];
  const names = candidates.filter(isTargetFramework).map(shortFrameworkName);
  const specific = names.filter((name) => name !== "any" && name !== "agnostic");
  return [...new Set(specific)].toSorted().slice(0, FRAMEWORKS_MAX);
}

function folderOf(path: string): string | undefined {
  for (const folder of FOLDERS) {
    const name = folder.exec(path)?.[1];
    if (name !== undefined) return decoded(name);
  }
  return undefined;
}

/** Packers escape what zip readers may not like: `portable-net45%2Bwin8`. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
