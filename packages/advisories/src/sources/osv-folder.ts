import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { AdvisorySourceError, reasonOf } from "../errors.ts";
import { OSV_BYTES_MAX } from "../formats/osv.ts";
import type { AdvisoryReaders } from "../ports.ts";
import { NOTHING_READ, readOsvBytes, unread } from "./osv-document.ts";
import type { SourceReading } from "./osv-document.ts";

const FILES_AT_ONCE = 16;
const DEPTH_MAX = 32;

/**
 * Reads every `*.json` below a folder. A checkout of the GitHub Advisory Database has some hundred
 * thousand files. Files without the names NuGet and npm are not parsed; unreviewed ones contain no
 * package.
 */
export async function* readOsvFolder<NuGet, Npm>(
  root: string,
  {
    readers,
    signal,
  }: { readonly readers: AdvisoryReaders<NuGet, Npm>; readonly signal: AbortSignal },
): AsyncGenerator<SourceReading<NuGet, Npm>> {
  const pending: Promise<SourceReading<NuGet, Npm>>[] = [];
  try {
    for await (const path of jsonFiles(root, 0)) {
      signal.throwIfAborted();
      pending.push(readFileOf(root, path, readers));
      if (pending.length >= FILES_AT_ONCE) yield (await pending.shift()) ?? NOTHING_READ;
    }
    for (const reading of pending) yield await reading;
  } finally {
    await Promise.allSettled(pending);
  }
}

async function* jsonFiles(folder: string, depth: number): AsyncGenerator<string> {
  if (depth > DEPTH_MAX) {
    throw new AdvisorySourceError(`${folder} is more than ${DEPTH_MAX} folders deep.`);
  }
  const entries = await readdir(folder, { withFileTypes: true });
  const isGitHub = entries.some(({ name }) => name === "github-reviewed");
  for (const entry of entries) {
    const { name } = entry;
    const isHidden = name.startsWith(".") || (isGitHub && name === "unreviewed");
    if (entry.isDirectory() && !isHidden) yield* jsonFiles(join(folder, name), depth + 1);
    // A mounted folder of Kubernetes has links to its files.
    const isFile = entry.isFile() || entry.isSymbolicLink();
    if (isFile && !isHidden && name.toLowerCase().endsWith(".json")) yield join(folder, name);
  }
}

/** Reads a file; an unreadable one does not end the import. */
async function readFileOf<NuGet, Npm>(
  root: string,
  path: string,
  readers: AdvisoryReaders<NuGet, Npm>,
): Promise<SourceReading<NuGet, Npm>> {
  const problem = (words: string) => unread(`${relative(root, path)}: ${words}`);
  try {
    // The target of a link may be endless, and opening a pipe would block.
    const stats = await stat(path);
    if (!stats.isFile()) return problem("is not a file");
    if (stats.size > OSV_BYTES_MAX) return problem(`is larger than ${OSV_BYTES_MAX} bytes`);
    const reading = readOsvBytes(await readFile(path), readers);
    const problems = reading.problems.map((words) => `${relative(root, path)}: ${words}`);
    return { ...reading, problems };
  } catch (error) {
    return problem(reasonOf(error));
  }
}
