import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type SmallDisk = AsyncDisposable & {
  readonly path: string;
  /** Leaves no space. */
  fill(): void;
  /** Frees the space again. */
  empty(): void;
};

const FILLING = 4_096;

/** A small file system in memory. */
export function openDisk(size: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "sealhouse-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  const filling = join(path, "filling");
  return {
    path,
    fill() {
      mkdirSync(filling);
      for (let index = 0; isWritten(join(filling, String(index))); index += 1);
    },
    empty: () => rmSync(filling, { recursive: true }),
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["--lazy", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function isWritten(path: string): boolean {
  try {
    writeFileSync(path, Buffer.alloc(FILLING));
    return true;
  } catch {
    return false;
  }
}

/** Whether this user may mount one; otherwise prints a prominent line. */
export function isMountable(): boolean {
  try {
    void openDisk("1m")[Symbol.asyncDispose]();
    return true;
  } catch {
    process.stderr.write("SKIPPED: full disks, because this user cannot mount one.\n");
    return false;
  }
}
