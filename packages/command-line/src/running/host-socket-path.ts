import { join } from "node:path";

/** Linux takes 107 bytes, other systems 103. */
const PATH_MAX = 103;

/** The socket of the host of a data folder; undefined where the system has no such path. */
export function hostSocketOf(dataPath: string): string | undefined {
  const path = join(dataPath, "run", "host.sock");
  return process.platform === "win32" || Buffer.byteLength(path) > PATH_MAX ? undefined : path;
}
