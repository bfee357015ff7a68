import { opendir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { basenameOf, parseOldPackageName, parsePackageVersion } from "@sealhouse/npm-protocol";
import type { PackageName } from "@sealhouse/npm-protocol";
import { parsePackument } from "@sealhouse/npm-protocol/client";
import type { RemoteVersion } from "@sealhouse/npm-protocol/client";
import {
  fileFromSource,
  SourceError,
  throwSourceError,
  undefinedIfMissing,
} from "../../source-error.ts";
import type { PackageNames, NpmSource, SourcePackage, SourceTarball } from "./npm-source.ts";

const LIST = ".verdaccio-db.json";
const DOCUMENT = "package.json";
/** Several times the size of the largest packuments. */
const DOCUMENT_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Returns the storage folder of a Verdaccio as a source: `{name}/package.json` in the folder of the
 * tarballs, and a list of the packages that were published there. `withCopies`: also packages that
 * it cached from another registry.
 */
export function openVerdaccioFolder(root: string, withCopies: boolean): NpmSource {
  return {
    names: () => namesIn(root, withCopies).catch(throwSourceError),
    open: (name) => openPackage(root, name).catch(throwSourceError),
  };
}

async function namesIn(root: string, withCopies: boolean): Promise<PackageNames> {
  const listed = await listedNames(root);
  if (listed && !withCopies) return { names: listed, remarks: [] };
  const names = (await Array.fromAsync(foldersWithDocument(root))).toSorted();
  const remark = `${LIST} is missing, so all packages in the folder are imported.`;
  return { names, remarks: listed ? [] : [remark] };
}

/** Returns undefined without the file. Ignores the secret that it contains. */
async function listedNames(root: string): Promise<readonly string[] | undefined> {
  const text = await readFile(join(root, LIST), "utf8").catch(undefinedIfMissing);
  if (text === undefined) return undefined;
  const document = parsed(text, LIST);
  const list: unknown =
    typeof document === "object" && document !== null && "list" in document ? document.list : [];
  const names: readonly unknown[] = Array.isArray(list) ? list : [];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

async function* foldersWithDocument(root: string): AsyncGenerator<string, void, undefined> {
  for await (const { name } of await opendir(root)) {
    if (!name.startsWith("@")) {
      if (await hasDocument(root, name)) yield name;
      continue;
    }
    const scope = await stat(join(root, name));
    if (!scope.isDirectory()) continue;
    for await (const inside of await opendir(join(root, name))) {
      const scoped = `${name}/${inside.name}`;
      if (await hasDocument(root, scoped)) yield scoped;
    }
  }
}

async function hasDocument(root: string, name: string): Promise<boolean> {
  const stats = await stat(join(root, name, DOCUMENT)).catch(() => undefined);
  return stats?.isFile() === true;
}

async function openPackage(root: string, text: string): Promise<SourcePackage | undefined> {
  const name = parseOldPackageName(text);
  if (!name) return undefined;
  const path = join(root, name, DOCUMENT);
  const stats = await stat(path).catch(undefinedIfMissing);
  if (!stats) return undefined;
  if (stats.size > DOCUMENT_BYTES_MAX) throw new SourceError(`${path} is too large.`);
  const document = parsed(await readFile(path, "utf8"), path);
  const packument = parsePackument(document, name);
  if (!packument) throw new SourceError(`${path} does not describe ${name}.`);
  return {
    packument,
    isNear: true,
    tarball: (version) => openTarball(join(root, name), name, version),
    // Verdaccio does not store it.
    provenance: async () => undefined,
  };
}

async function openTarball(
  folder: string,
  name: PackageName,
  { version }: RemoteVersion,
): Promise<SourceTarball | undefined> {
  // An invalid version could contain a path out of the folder.
  if (parsePackageVersion(version) === undefined || !/^[\w.+-]+$/.test(version)) return undefined;
  const path = join(folder, `${basenameOf(name)}-${version}.tgz`);
  const stats = await stat(path).catch(undefinedIfMissing);
  if (!stats?.isFile()) return undefined;
  const body = fileFromSource(path);
  return { body, [Symbol.asyncDispose]: async () => void (await body.return()) };
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SourceError(`${path} is not JSON.`, { cause });
  }
}
