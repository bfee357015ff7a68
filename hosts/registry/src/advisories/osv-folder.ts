import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { OSV_BYTES_MAX } from "@sealhouse/advisories";
import { NOTHING_READ, readOsvBytes, unread } from "./osv-document.ts";
import type { OsvReading } from "./osv-document.ts";
import { AdvisorySourceError, reasonOf } from "./source-error.ts";

const FILES_AT_ONCE = 16;
const DEPTH_MAX = 32;

/**
 * Every `*.json` below a folder. A checkout of the GitHub Advisory Database has some hundred
 * thousand: what names neither NuGet nor npm is not even parsed, and what nobody reviewed names no
 * package.
 */
export async function* readOsvFolder(
  root: string,
  signal: AbortSignal,
): AsyncGenerator<OsvReading> {
  const pending: Promise<OsvReading>[] = [];
  try {
    for await (const path of jsonFiles(root, 0)) {
      signal.throwIfAborted();
      pending.push(readFileOf(root, path));
      if (pending.length >= FILES_AT_ONCE) yield (await pending.shift()) ?? NOTHING_READ;
    }
    for (const reading of pending) yield await reading;
  } finally {
    await Promise.allSettled(pending);
  }
}

async function* jsonFiles(folder: string, depth: number): AsyncGenerator<string> {
  if (depth > DEPTH_MAX) throw new AdvisorySourceError(`${folder} lies too deep.`);
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

/** One file that cannot be read does not end the import. */
async function readFileOf(root: string, path: string): Promise<OsvReading> {
  const problem = (words: string) => unread(`${relative(root, path)}: ${words}`);
  try {
    // What a link leads to may never end, and a pipe cannot even be opened.
    const found = await stat(path);
    if (!found.isFile()) return problem("is no file");
    if (found.size > OSV_BYTES_MAX) return problem(`is larger than ${OSV_BYTES_MAX} bytes`);
    const reading = readOsvBytes(await readFile(path));
    const problems = reading.problems.map((one) => `${relative(root, path)}: ${one}`);
    return { ...reading, problems };
  } catch (error) {
    return problem(reasonOf(error));
  }
}
