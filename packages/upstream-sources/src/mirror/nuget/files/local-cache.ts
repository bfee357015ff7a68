import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { BoundedCache } from "@sealhouse/bounded-cache";
import { isPackageId, lowerVersion } from "@sealhouse/nuget-protocol";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { OpenedFile } from "../../files/arrivals.ts";
import type { NamedVersion } from "../documents/source-documents.ts";

/** A folder of packages that NuGet's clients of this machine have installed. */
export type LocalCache = {
  /** The global-packages folder. */
  readonly path: string;
  /** Whether packages from it are stored here, like those that are fetched. */
  readonly isCopied: boolean;
  /** Called about a package that cannot be used, with a sentence. */
  readonly warn: (problem: string) => void;
};

/** Opens a verified package. */
export type CachedPackage = () => Promise<OpenedFile>;

/** Finds a package that was installed from the source. Undefined for all others. */
export type FindCached = (
  named: NamedVersion,
  source: Pick<PackageSource, "url">,
) => Promise<CachedPackage | undefined>;

/** Without links, so that no name leads out of the folder. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;
const SMALL_BYTES_MAX = 64 * 1024;
const VERIFIED_MAX = 1_000;

/**
 * Reads a global-packages folder. A package is used only if its `.nupkg.metadata` names the source,
 * and it has the hash in its `.nupkg.sha512`: another feed may have another package of this name.
 */
export function createLocalCache({ path: root, warn }: LocalCache): FindCached {
  /** Identities of the files whose hashes were right, by path. */
  const verified = new BoundedCache<string, string>({ entries: VERIFIED_MAX });

  const verify = async (path: string, sha512: string): Promise<boolean> => {
    await using file = await open(path, READ);
    const identity = await identityOf(file);
    if (verified.get(path) === identity) return true;
    const hash = createHash("sha512");
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk as Uint8Array);
    }
    if (hash.digest("base64") !== sha512) return false;
    verified.set(path, identity);
    return true;
  };

  const find: FindCached = async ({ id, version }, source) => {
    const folder = await folderOf(root, { id, version });
    if (folder === undefined) return undefined;
    const installedFrom = sourceIn(await readSmall(join(folder, ".nupkg.metadata")));
    if (installedFrom === undefined || !isSame(installedFrom, source.url)) return undefined;
    const path = join(folder, `${id}.${version}.nupkg`);
    const sha512 = (await readSmall(`${path}.sha512`))?.trim();
    if (sha512 === undefined) return undefined;
    if (await verify(path, sha512)) return () => openFile(path, verified.get(path));
    warn(`${path} has another hash than its .sha512 file; the package source is asked instead.`);
    return undefined;
  };
  return (named, source) =>
    find(named, source).catch((error: unknown) => {
      if (!isAbsent(error))
        warn(`${named.id} ${named.version} could not be read: ${String(error)}`);
      return undefined;
    });
}

/** Returns the folder of a version; undefined if it is absent, or behind a link. */
async function folderOf(root: string, { id, version }: NamedVersion): Promise<string | undefined> {
  const isNormal = isPackageId(id) && id === id.toLowerCase() && lowerVersion(version) === version;
  if (!isNormal) return undefined;
  const folder = join(await realpath(root), id, version);
  return (await realpath(folder)) === folder ? folder : undefined;
}

async function openFile(path: string, identity: string | undefined): Promise<OpenedFile> {
  const file = await open(path, READ);
  try {
    if ((await identityOf(file)) !== identity) throw new Error(`${path} was replaced`);
    const { size } = await file.stat();
    const body = file.createReadStream({ start: 0, autoClose: false });
    const dispose = async () => {
      body.destroy();
      await file.close();
    };
    return { size, body, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function identityOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeMs } = await file.stat();
  return JSON.stringify([dev, ino, size, mtimeMs]);
}

/** Undefined for a file that is too large. */
async function readSmall(path: string): Promise<string | undefined> {
  await using file = await open(path, READ);
  const { size } = await file.stat();
  return size > SMALL_BYTES_MAX ? undefined : file.readFile("utf8");
}

function sourceIn(metadata: string | undefined): string | undefined {
  if (metadata === undefined) return undefined;
  const { source } = JSON.parse(metadata) as { readonly source?: unknown };
  return typeof source === "string" ? source : undefined;
}

function isSame(installedFrom: string, url: URL): boolean {
  const other = URL.canParse(installedFrom) ? new URL(installedFrom).href : installedFrom;
  return withoutSlash(other) === withoutSlash(url.href);
}

function withoutSlash(href: string): string {
  return href.replace(/\/$/, "");
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
