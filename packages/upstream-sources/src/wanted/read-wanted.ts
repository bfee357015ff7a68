import { open } from "node:fs/promises";
import { basename } from "node:path";
import { isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import { SourceError, throwSourceError } from "../source-error.ts";
import { readNpmLock } from "./npm-lock.ts";
import { readNuGetLock, readProjectAssets } from "./nuget-lock.ts";
import { readPnpmLock } from "./pnpm-lock.ts";
import type { WantedList } from "./wanted.ts";
import type { WantedEntries } from "./wanted-entries.ts";
import { createEntries } from "./wanted-entries.ts";
import { readYarnBerryLock } from "./yarn-berry-lock.ts";
import { readYarnLock } from "./yarn-lock.ts";

export const WANTED_BYTES_MAX = 32 * 1024 * 1024;

/** Reads a lock file or a list of images.
 * @throws {SourceError} when it cannot be read */
export async function readWantedFile(path: string): Promise<WantedList> {
  await using file = await open(path).catch(throwSourceError);
  const stats = await file.stat().catch(throwSourceError);
  if (!stats.isFile()) throw new SourceError(`${path} is not a file.`);
  if (stats.size > WANTED_BYTES_MAX) throw tooLarge(path);
  return readWanted(path, await file.readFile().catch(throwSourceError));
}

/**
 * Reads the bytes of a file by its name: `package-lock.json`, `npm-shrinkwrap.json`,
 * `pnpm-lock.yaml`, `yarn.lock`, `packages.lock.json`, `project.assets.json`, or a list of images
 * whose name ends with `.txt`.
 * @throws {SourceError}
 */
export async function readWanted(path: string, bytes: Uint8Array): Promise<WantedList> {
  if (bytes.length > WANTED_BYTES_MAX) throw tooLarge(path);
  const read = readerOf(basename(path));
  if (!read) {
    throw new SourceError(
      `${path} is not a known list of packages. Use package-lock.json, npm-shrinkwrap.json, ` +
        "pnpm-lock.yaml, yarn.lock, packages.lock.json, project.assets.json, or a list of images " +
        "whose name ends with .txt.",
    );
  }
  const entries = createEntries(path);
  await read(decode(bytes, path), path, entries);
  return entries.list();
}

type Read = (text: string, from: string, entries: WantedEntries) => void | Promise<void>;

function readerOf(name: string): Read | undefined {
  if (/^(?:package-lock|npm-shrinkwrap)\.json$/.test(name)) return readNpmLock;
  if (name === "pnpm-lock.yaml") return readPnpmLock;
  if (name === "yarn.lock") return readEitherYarnLock;
  if (/^packages\.(?:.+\.)?lock\.json$/.test(name)) return readNuGetLock;
  if (name === "project.assets.json") return readProjectAssets;
  return name.endsWith(".txt") ? readImageList : undefined;
}

const readEitherYarnLock: Read = (text, from, entries) =>
  /^__metadata:/m.test(text)
    ? readYarnBerryLock(text, from, entries)
    : readYarnLock(text, from, entries);

/** Removes a byte order mark. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SourceError(`${path} is not text in UTF-8.`, { cause });
  }
}

function tooLarge(path: string): SourceError {
  return new SourceError(`${path} is larger than ${WANTED_BYTES_MAX} bytes.`);
}

/** A host has a dot or a port, or is `localhost`; other first parts belong to the repository. */
const HOST =
  /^(?:localhost|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+|[a-zA-Z0-9-]+(?=:\d+\/))(?::\d{1,5})?\//;
const PARTS = /^([^:@]+)(?::([^:@]+))?(?:@(.+))?$/;
const LINE_LENGTH_MAX = 1_000;

/** Reads one image reference per line. `#` begins a comment. */
export function readImageList(text: string, from: string, entries: WantedEntries): void {
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const reference = line.replace(/(?:^|\s)#.*$/, "").trim();
    if (reference === "") continue;
    const image = line.length > LINE_LENGTH_MAX ? undefined : parseImage(reference);
    if (!image) {
      throw new SourceError(
        `${from}, line ${index + 1} is not an image reference. Write team/app:1.0, ` +
          "team/app@sha256:… or registry.example/team/app:1.0.",
      );
    }
    entries.add({ protocol: "oci", ...image, from });
  }
}

function parseImage(text: string) {
  const [host = ""] = HOST.exec(text) ?? [];
  const [, name = "", tag, digest] = PARTS.exec(text.slice(host.length)) ?? [];
  if (!isRepositoryName(name) || (tag !== undefined && !isTag(tag))) return undefined;
  const found = { ...(host !== "" && { host: host.slice(0, -1) }), name };
  if (digest === undefined) return { ...found, reference: tag ?? "latest" };
  if (!isDigest(digest)) return undefined;
  return { ...found, reference: digest, ...(tag !== undefined && { tag }) };
}
