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
import { SourceError, fileFromSource, fromSource, sourceFailed } from "./candidate.ts";

/** Folders below folders; deeper than any layout that a host uses. */
const DEPTH_MAX = 32;

type Kind = Candidate["kind"];

/**
 * The packages, or the symbol packages, of a folder and everything below it: a folder of files, or
 * the storage of a BaGet, BaGetter or AvantiPoint host. Signed copies beside an original are passed
 * over, and links to folders are not followed.
 */
export async function* folderGroups(
  root: string,
  kind: Kind,
): AsyncGenerator<CandidateGroup, void, undefined> {
  for await (const found of filesBelow(root, DEPTH_MAX)) {
    const { path, problem } = found;
    const label = relative(root, path);
    if (problem !== undefined) {
      // Told once, not in every pass.
      if (kind === "package") yield { label, load: async () => sourceFailed(problem) };
    } else if (kindOf(path) === kind && !(await isSignedCopy(path))) {
      yield { label, load: async () => [await candidateOf(path, { kind, label })] };
    }
  }
}

function kindOf(path: string): Kind | undefined {
  const name = basename(path).toLowerCase();
  if (name.endsWith(".snupkg")) return "symbols";
  // The old form of symbol packages has no use here: its PDBs are not portable.
  return name.endsWith(".nupkg") && !name.endsWith(".symbols.nupkg") ? "package" : undefined;
}

/** `packages/{id}/{version}/signed/{file}`, whose original lies one folder up. */
async function isSignedCopy(path: string): Promise<boolean> {
  const folder = dirname(path);
  if (basename(folder) !== "signed") return false;
  const original = await stat(join(dirname(folder), basename(path))).catch(() => undefined);
  return original?.isFile() === true;
}

/** Files; a folder that cannot be read comes with its problem. */
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
  const found = await stat(path).catch(sourceFailed);
  // What a link leads to may never end: a pipe, a device.
  if (!found.isFile()) throw new SourceError("It is no file.");
  const { size, mtime } = found;
  const file = fileSource(path, size);
  const named = await nameIn(file, kind).catch(() => undefined);
  return {
    kind,
    label,
    ...(named && { named }),
    past: async () => ({ publishedAt: mtime }),
    open: async () => ({ body: file.read(), [Symbol.asyncDispose]: async () => undefined }),
    async problems() {
      const verdict = await (kind === "symbols" ? validateSymbolPackage : validatePackage)(file);
      return verdict.status === "invalid" ? verdict.problems : [];
    },
  };
}

/** What the manifest says, when it can be read; what is wrong with it is told when it is taken. */
async function nameIn(file: FileSource, kind: Kind): Promise<Candidate["named"]> {
  const { nuspec } = await openNupkg(file);
  const outcome = parseNuspec(nuspec, { isSymbols: kind === "symbols" });
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
