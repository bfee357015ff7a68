import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, mkdir, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk whose power can be cut. */
export type CuttableDisk = AsyncDisposable & {
  /** Where its file system is mounted. */
  readonly path: string;
  /** Loses everything that is not synced; all later writes fail. End its users before `restore`. */
  cut(): void;
  /** Mounts the file system again, with what its journal recovers. */
  restore(): void;
};

/** `EXT4_IOC_SHUTDOWN`, and its flag to drop the journal that is not yet written. */
const SHUTDOWN = 0x80_04_58_7d;
const WITHOUT_LOG_FLUSH = 2;
const SIZE_BYTES = 512 * 1024 * 1024;
/** Seconds between the commits that ext4 makes by itself. Only what a program syncs is kept. */
const COMMIT_INTERVAL_SECONDS = 3_600;

/**
 * An ext4 file system on a loop device. A cut is ext4's own shutdown, which drops all dirty pages
 * and the journal in memory, as xfstests cut the power.
 */
export async function openCuttableDisk(): Promise<CuttableDisk> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-power-"));
  const image = join(folder, "disk.img");
  const path = join(folder, "disk");
  await mkdir(path);
  await using file = await open(image, "w");
  await file.truncate(SIZE_BYTES);
  const unmount = () => spawnSync("umount", [path]);
  const mount = () => {
    const options = `loop,commit=${COMMIT_INTERVAL_SECONDS}`;
    execFileSync("mount", ["-t", "ext4", "-o", options, image, path], { stdio: "pipe" });
  };
  execFileSync("mkfs.ext4", ["-q", "-F", image], { stdio: "pipe" });
  mount();
  return {
    path,
    cut: () => void execFileSync("perl", ["-e", shutdownScript(), path], { stdio: "pipe" }),
    restore() {
      execFileSync("umount", [path], { stdio: "pipe" });
      mount();
    },
    async [Symbol.asyncDispose]() {
      unmount();
      spawnSync("umount", ["--lazy", path]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Node has no `ioctl`. */
function shutdownScript(): string {
  return (
    `open(my $disk, "<", $ARGV[0]) or die $!; my $how = pack("L", ${WITHOUT_LOG_FLUSH}); ` +
    `ioctl($disk, ${SHUTDOWN}, $how) or die $!;`
  );
}

/** Returns whether this machine can cut a disk; otherwise prints a prominent line. */
export async function canCutDisks(): Promise<boolean> {
  try {
    await using disk = await openCuttableDisk();
    disk.cut();
    return true;
  } catch (error) {
    const [reason] = String(error).split("\n");
    process.stderr.write(`\nSKIPPED: power cuts need root, loop devices and ext4: ${reason}\n\n`);
    return false;
  }
}
