import type { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError } from "../archive/archive-error.ts";
import type { ArchiveEntry } from "../archive/central-directory.ts";
import { streamEntry } from "../archive/stream-entry.ts";
import type { PackageFiles, StagedPackage } from "../ports.ts";
import type { SymbolFile } from "./ports.ts";
import { PortablePdbError, createPdbReader, readingPdb } from "./portable-pdb.ts";
import { SYMBOL_PROBLEMS_MAX, pdbNameOf } from "./validate-symbol-package.ts";

/** A PDB with its bytes staged. */
export type StagedPdb = Omit<SymbolFile, "blob"> & { readonly staged: StagedPackage };

export type StagedPdbs =
  | { readonly status: "staged"; readonly pdbs: readonly StagedPdb[] }
  | { readonly status: "invalid"; readonly problems: readonly string[] };

/**
 * Unpacks the PDBs of a symbol package one after the other, reads their ids on the way, and stages
 * them. What is staged belongs to `owned`. Copies of one file under one name count once.
 */
export async function stagePdbs(
  { stage }: Pick<PackageFiles, "stage">,
  what: {
    readonly source: ByteSource;
    readonly entries: readonly ArchiveEntry[];
    readonly signal?: AbortSignal | undefined;
  },
  owned: AsyncDisposableStack,
): Promise<StagedPdbs> {
  const { source, entries, signal } = what;
  const pdbs = new Map<string, StagedPdb>();
  const problems: string[] = [];
  for (const entry of entries) {
    const reader = createPdbReader(entry.size);
    try {
      const body = readingPdb(streamEntry(source, entry), reader);
      const staged = owned.use(
        await stage(body, { hashes: ["sha256"], ...(signal && { signal }) }),
      );
      const pdb = { fileName: pdbNameOf(entry), ...reader.end(), staged };
      pdbs.set(`${pdb.fileName} ${pdb.symbolKey} ${staged.digests.sha256}`, pdb);
    } catch (error) {
      problems.push(problemOf(entry, error));
      if (problems.length === SYMBOL_PROBLEMS_MAX) break;
    }
  }
  if (problems.length > 0) return { status: "invalid", problems };
  return { status: "staged", pdbs: [...pdbs.values()] };
}

/** Throws on what is not the uploader's. */
function problemOf({ path }: ArchiveEntry, error: unknown): string {
  if (error instanceof ArchiveError) return error.message;
  if (error instanceof PortablePdbError) return `"${path.slice(0, 200)}" ${error.message}.`;
  throw error;
}
