import { createHmac } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseConfig } from "@sealhouse/database";
import { placeOf } from "@sealhouse/database/settings";

// Each running host of this user leaves a small file with its database and a fingerprint of its
// pepper, so that a command with other settings notices that its tokens are not valid there.

/** The folder of this installation, from source or compiled. Ignores hosts of other checkouts. */
const PROGRAM = fileURLToPath(new URL("..", import.meta.url));
const RECORD = /^\d+\.json$/;

export type RunningHost = {
  readonly pid: number;
  readonly workingFolder: string;
  /** The database, without its password. */
  readonly place: string;
  /** Result of `pepperFingerprint`. */
  readonly pepper: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Names this process until disposal. */
export function recordRunningHost(
  { env, workingFolder }: { readonly env: Environment; readonly workingFolder: string },
  { database, pepper }: { readonly database: DatabaseConfig; readonly pepper: string },
): Disposable {
  const folder = folderIn(env);
  const path = join(folder, `${process.pid}.json`);
  const place = databasePlace(database, workingFolder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fingerprint = pepperFingerprint(pepper);
    const record = JSON.stringify({ program: PROGRAM, workingFolder, place, pepper: fingerprint });
    if (isOwn(folder)) writeFileSync(path, record, { mode: 0o600 });
  } catch {
    // A host starts without it; only a warning of `token create` is missed.
  }
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** The hosts of this installation and this user that run now. */
export function runningHosts(env: Environment): readonly RunningHost[] {
  const folder = folderIn(env);
  try {
    if (!isOwn(folder)) return [];
    const names = readdirSync(folder).filter((name) => RECORD.test(name));
    return names.flatMap((name) => hostOf(join(folder, name)) ?? []);
  } catch {
    return [];
  }
}

/** Tells two peppers apart without revealing them. */
export function pepperFingerprint(pepper: string): string {
  return createHmac("sha256", pepper).update("sealhouse/running-host").digest("hex").slice(0, 16);
}

/** A database as its operator knows it; a file by its whole path. */
export function databasePlace(database: DatabaseConfig, workingFolder: string): string {
  if (database.type !== "Sqlite") return placeOf(database);
  return placeOf({ ...database, path: resolve(workingFolder, database.path) });
}

function hostOf(path: string): RunningHost | undefined {
  const pid = Number.parseInt(basename(path), 10);
  if (!isAlive(pid)) {
    rmSync(path, { force: true });
    return undefined;
  }
  const { program, workingFolder, place, pepper } = Object(
    JSON.parse(readFileSync(path, "utf8")),
  ) as Readonly<Record<string, unknown>>;
  if (program !== PROGRAM) return undefined;
  return {
    pid,
    workingFolder: String(workingFolder),
    place: String(place),
    pepper: String(pepper),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function folderIn(env: Environment): string {
  const base = env["XDG_RUNTIME_DIR"] ?? tmpdir();
  return join(base, `sealhouse-hosts-${process.getuid?.() ?? "user"}`);
}

/** The folder must belong to the user: all users can write to temporary folders. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
}
