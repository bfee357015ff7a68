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

/** File system calls that a small object needs several times. They throw or reject equally. */
export type FileCalls = {
  /** Returns a descriptor, which the caller must close. */
  open(path: string, flags: "r" | "wx"): Promise<number> | number;
  /** Appends the whole block. */
  append(descriptor: number, block: Uint8Array): Promise<void> | void;
  rename(from: string, to: string): Promise<void> | void;
  /** Resolves all links of a path. */
  realpath(path: string): Promise<string> | string;
  close(descriptor: number): Promise<void> | void;
  /** Waits for the disk without blocking the event loop. */
  syncData(descriptor: number): Promise<void>;
  sync(descriptor: number): Promise<void>;
};

/** Calls through the thread pool, for any file system, including network file systems. */
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

/**
 * Synchronous calls, for local disks. Their kernel answers from memory, much faster than a thread
 * switch.
 */
export const DIRECT_CALLS: FileCalls = {
  ...THREADED_CALLS,
  // Creating a file may wait for the journal.
  open: (path, flags) => (flags === "r" ? openSync(path, flags) : THREADED_CALLS.open(path, flags)),
  append(descriptor, block) {
    if (block.length > DIRECT_BYTES_MAX) return THREADED_CALLS.append(descriptor, block);
    writeFileSync(descriptor, block);
  },
  rename: renameSync,
  realpath: (path) => realpathSync.native(path),
  close: closeSync,
};

/** Magic numbers of statfs(2) on Linux: ext, XFS, Btrfs, F2FS, ZFS, tmpfs, overlay. */
const OWN_DISKS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

export async function fileCallsFor(folder: string): Promise<FileCalls> {
  if (process.platform !== "linux") return THREADED_CALLS;
  // Some kernels return a signed number.
  const { type } = await statfs(folder);
  return OWN_DISKS.has(type >>> 0) ? DIRECT_CALLS : THREADED_CALLS;
}
