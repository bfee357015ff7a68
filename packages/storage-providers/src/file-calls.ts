import {
  close,
  closeSync,
  fdatasync,
  fsync,
  open,
  openSync,
  realpathSync,
  rename,
  renameSync,
  writeFile,
  writeFileSync,
  realpath,
} from "node:fs";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";

/** The calls to the disk of which a small object needs several. They throw and reject alike. */
export type FileCalls = {
  /** Gives the descriptor, which the caller closes. */
  open(path: string, flags: "r" | "wx"): Promise<number> | number;
  /** All of `block`, behind what was written before. */
  append(descriptor: number, block: Uint8Array): Promise<void> | void;
  rename(from: string, to: string): Promise<void> | void;
  /** The same folder without links. */
  realpath(path: string): Promise<string> | string;
  close(descriptor: number): Promise<void> | void;
  /** These wait for the disk, and never hold up the event loop. */
  syncData(descriptor: number): Promise<void>;
  sync(descriptor: number): Promise<void>;
};

/** For any file system: another machine may have to answer. */
export const THREADED_CALLS: FileCalls = {
  open: promisify(open),
  append: promisify(writeFile),
  rename: promisify(rename),
  realpath: promisify(realpath.native),
  close: promisify(close),
  syncData: promisify(fdatasync),
  sync: promisify(fsync),
};

const DIRECT_BYTES_MAX = 64 * 1024;

/** For the machine's own disks: their kernel answers from memory, in a fraction of what the detour
 * over a thread takes. */
export const DIRECT_CALLS: FileCalls = {
  ...THREADED_CALLS,
  // A new file may have to wait for the journal.
  open: (path, flags) => (flags === "r" ? openSync(path, flags) : THREADED_CALLS.open(path, flags)),
  append(descriptor, block) {
    if (block.length > DIRECT_BYTES_MAX) return THREADED_CALLS.append(descriptor, block);
    writeFileSync(descriptor, block);
  },
  rename: renameSync,
  realpath: (path) => realpathSync.native(path),
  close: closeSync,
};

/** Magic numbers of Linux (statfs(2)): ext, XFS, Btrfs, F2FS, ZFS, tmpfs, overlay. */
const OWN_DISKS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

export async function fileCallsFor(folder: string): Promise<FileCalls> {
  if (process.platform !== "linux") return THREADED_CALLS;
  // Some kernels give the number with a sign.
  const { type } = await statfs(folder);
  return OWN_DISKS.has(type >>> 0) ? DIRECT_CALLS : THREADED_CALLS;
}
