import { statfs } from "node:fs/promises";

/** A kind of file system whose content ends with the machine or with the container. */
export type VolatilePlace = "memory" | "container-layer";

/** Magic numbers of Linux file systems (`statfs(2)`). */
const MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);
const OVERLAY = 0x794c7630;

/**
 * Whether a folder is on a file system that does not outlive the machine (tmpfs, ramfs) or the
 * container (overlay). Undefined when that is not known: other systems than Linux, container
 * layers without overlay, temporary disks, and folders that do not exist.
 */
export async function volatilePlaceOf(
  folder: string,
  readType: (path: string) => Promise<number> = fileSystemType,
): Promise<VolatilePlace | undefined> {
  if (process.platform !== "linux") return undefined;
  const type = await readType(folder).catch(() => undefined);
  if (type === undefined) return undefined;
  if (MEMORY.has(type)) return "memory";
  return type === OVERLAY ? "container-layer" : undefined;
}

async function fileSystemType(path: string): Promise<number> {
  return (await statfs(path)).type;
}
