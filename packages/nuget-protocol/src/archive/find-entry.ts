import type { ArchiveEntry, CentralDirectory } from "./central-directory.ts";

/** The file at a path that a manifest names. Paths in an archive are unique without regard to case,
 * so that is how they are looked up. */
export function findEntry({ entries }: CentralDirectory, path: string): ArchiveEntry | undefined {
  const lowerPath = path
    .replaceAll("\\", "/")
    .replace(/^(?:\.?\/)+/, "")
    .toLowerCase();
  return entries.find((entry) => !entry.isDirectory && entry.path.toLowerCase() === lowerPath);
}
