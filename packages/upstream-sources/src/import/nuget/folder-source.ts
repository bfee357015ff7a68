import { opendir, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import {
  openNupkg,
  parseNuspec,
  validatePackage,
  validateSymbolPackage,
} from "@sealhouse/nuget-protocol/package";
import type { Candidate, CandidateGroup } from "./candidate.ts";
import { SourceError, fileFromSource, fromSource, throwSourceError } from "../../source-error.ts";

/** Maximum nesting of folders; deeper than the layout of any known host. */
const DEPTH_MAX = 32;

type Kind = Candidate["kind"];

/**
 * Returns the packages or symbol packages in a folder and all folders below it. The folder may be
 * the storage of a BaGet, BaGetter or AvantiPoint host. Skips signed copies of an original and does
 * not follow links to folders.
 */
export async function* folderGroups(
  root: string,
  kind: Kind,
): AsyncGenerator<CandidateGroup, void, undefined> {
  for await (const file of filesBelow(root, DEPTH_MAX)) {
    const { path, problem } = file;
    const label = relative(root, path);
    if (problem !== undefined) {
      // Reported in the first pass only.
      if (kind === "package") yield { label, load: async () => throwSourceError(problem) };
    } else if (kindOf(path) === kind && !(await isSignedCopy(path))) {
      yield { label, load: async () => [await candidateOf(path, { kind, label })] };
    }
  }
}

function kindOf(path: string): Kind | undefined {
  const name = basename(path).toLowerCase();
  if (name.endsWith(".snupkg")) return "symbols";
  // Skips the legacy format of symbol packages: its PDBs are not portable.
  return name.endsWith(".nupkg") && !name.endsWith(".symbols.nupkg") ? "package" : undefined;
}

/** Matches `packages/{id}/{version}/signed/{file}` with an original in the parent folder. */
async function isSignedCopy(path: string): Promise<boolean> {
  const folder = dirname(path);
  if (basename(folder) !== "signed") return false;
  const original = await stat(join(dirname(folder), basename(path))).catch(() => undefined);
  return original?.isFile() === true;
}

/** Yields files, and each folder that cannot be read with its problem. */
async function* filesBelow(
  folder: string,
  depthLeft: number,
): AsyncGenerator<{ readonly path: string; readonly problem?: unknown }, void, undefined> {
  const folders: string[] = [];
  const files: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
    }
  } catch (problem) {
    yield { path: folder, problem };
    return;
  }
  for (const path of files.toSorted()) yield { path };
  if (depthLeft === 0) return;
  for (const inner of folders.toSorted()) yield* filesBelow(inner, depthLeft - 1);
}

async function candidateOf(
  path: string,
  { kind, label }: { readonly kind: Kind; readonly label: string },
): Promise<Candidate> {
  const stats = await stat(path).catch(throwSourceError);
  // A link may point to a pipe or device, which can be endless.
  if (!stats.isFile()) throw new SourceError("It is not a file.");
  const { size, mtime } = stats;
  const file = fileSource(path, size);
  const identity = await readIdentity(file, kind).catch(() => undefined);
  return {
    kind,
    label,
    ...(identity && { identity }),
    past: async () => ({ publishedAt: mtime }),
    open: async () => ({ body: file.read(), [Symbol.asyncDispose]: async () => undefined }),
    async problems() {
      const verdict = await (kind === "symbols"
        ? validateSymbolPackage(file)
        : validatePackage(file, undefined, { isForeign: true }));
      return verdict.status === "invalid" ? verdict.problems : [];
    },
  };
}

/** Returns undefined for an invalid nuspec: the import reports its problems. */
async function readIdentity(file: FileSource, kind: Kind): Promise<Candidate["identity"]> {
  const { nuspec } = await openNupkg(file, { allowsRepeats: true });
  const outcome = parseNuspec(nuspec, {
    isSymbols: kind === "symbols",
    isForeign: kind !== "symbols",
  });
  if (outcome.status === "invalid") return undefined;
  const { id, version } = outcome.nuspec;
  return { id, version };
}

type FileSource = Parameters<typeof openNupkg>[0];

function fileSource(path: string, size: number): FileSource {
  const whole = { start: 0, end: size - 1 };
  const read = (range = whole) =>
    range.end < range.start ? fromSource(Readable.from([])) : fileFromSource(path, range);
  return { size, read };
}
