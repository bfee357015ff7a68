import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError } from "../archive/archive-error.ts";
import type { ArchiveEntry, CentralDirectory } from "../archive/central-directory.ts";
import type { InflationLimits } from "../archive/check-content.ts";
import { checkContent } from "../archive/check-content.ts";
import { openNupkg } from "../archive/nupkg.ts";
import type { Nuspec } from "../manifest/nuspec.ts";
import { parseNuspec } from "../manifest/nuspec.ts";
import { parsePackageVersion } from "../notation/package-version.ts";

/** Facts of a valid symbol package. Its PDBs are not inspected yet. */
export type ReadSymbolPackage = {
  /** In the author's casing. */
  readonly id: string;
  /** Normal form. */
  readonly version: string;
  /** At least one. */
  readonly pdbs: readonly ArchiveEntry[];
};

export type SymbolPackageVerdict =
  | { readonly status: "valid"; readonly package: ReadSymbolPackage }
  | { readonly status: "invalid"; readonly problems: readonly string[] };

/** Limits of a symbol package. PDBs are stored unpacked, so a bomb would stay in the store. */
export type SymbolLimits = InflationLimits & {
  readonly pdbCountMax: number;
  /** Maximum bytes of one PDB, unpacked. */
  readonly pdbBytesMax: number;
};

export const SYMBOL_LIMITS: SymbolLimits = {
  inflatedBytesMax: 4 * 1024 ** 3,
  ratioMax: 50,
  ratioFloorBytes: 64 * 1024 ** 2,
  pdbCountMax: 1_000,
  pdbBytesMax: 1024 ** 3,
};

export const SYMBOL_PROBLEMS_MAX = 20;
/** PDBs, the manifest, documentation, and what the packaging format and a signature add. */
const ENDINGS = /\.(?:pdb|nuspec|xml|psmdcp|rels|p7s)$/i;
const FILE_NAME_LENGTH_MAX = 255;

/** Every reason why a symbol package is unacceptable, or what it holds. */
export async function validateSymbolPackage(
  source: ByteSource,
  limits: SymbolLimits = SYMBOL_LIMITS,
): Promise<SymbolPackageVerdict> {
  try {
    const { directory, nuspec: bytes } = await openNupkg(source);
    const outcome = parseNuspec(bytes, { isSymbols: true });
    const read = outcome.status === "valid" ? outcome.nuspec : undefined;
    const pdbs = pdbsOf(directory);
    const problems = [
      ...(outcome.status === "valid" ? typeProblems(outcome.nuspec) : outcome.problems),
      ...fileProblems(directory),
      ...pdbProblems(pdbs, limits),
    ];
    await checkContent(source, directory, () => false, limits);
    const version = parsePackageVersion(read?.version ?? "");
    if (!read || !version || problems.length > 0) return invalid(problems);
    return { status: "valid", package: { id: read.id, version: version.normalized, pdbs } };
  } catch (error) {
    if (error instanceof ArchiveError) return invalid([error.message]);
    throw error;
  }
}

/** The name that debuggers ask by: lower case, without folders. */
export function pdbNameOf({ path }: Pick<ArchiveEntry, "path">): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

function invalid(problems: readonly string[]): SymbolPackageVerdict {
  return { status: "invalid", problems: problems.slice(0, SYMBOL_PROBLEMS_MAX) };
}

function pdbsOf({ entries }: CentralDirectory): readonly ArchiveEntry[] {
  return entries.filter(({ path, isDirectory }) => !isDirectory && /\.pdb$/i.test(path));
}

function typeProblems({ packageTypes }: Nuspec): readonly string[] {
  const isSymbols = packageTypes.some(({ name }) => name.toLowerCase() === "symbolspackage");
  if (isSymbols) return [];
  return [
    'The nuspec does not have the package type "SymbolsPackage". Packages themselves go to ' +
      "/api/v2/package; dotnet pack makes symbol packages with -p:SymbolPackageFormat=snupkg.",
  ];
}

function fileProblems({ entries }: CentralDirectory): readonly string[] {
  const foreign = entries.filter(({ path, isDirectory }) => !isDirectory && !ENDINGS.test(path));
  return foreign.slice(0, SYMBOL_PROBLEMS_MAX).map(({ path }) => {
    const shown = path.slice(0, 200);
    return (
      `"${shown}" does not belong in a symbol package; besides .pdb files it holds no more than ` +
      "a .nuspec, .xml documentation and what packing adds."
    );
  });
}

function pdbProblems(
  pdbs: readonly ArchiveEntry[],
  { pdbCountMax, pdbBytesMax }: SymbolLimits,
): readonly string[] {
  if (pdbs.length === 0) return ["The symbol package has no .pdb file."];
  if (pdbs.length > pdbCountMax) {
    return [`The symbol package has ${pdbs.length} .pdb files; up to ${pdbCountMax} are taken.`];
  }
  return pdbs.flatMap((pdb) => {
    const shown = pdb.path.slice(0, 200);
    if (pdb.size > pdbBytesMax) return [`"${shown}" is over ${pdbBytesMax} bytes.`];
    if (pdbNameOf(pdb).length <= FILE_NAME_LENGTH_MAX) return [];
    return [`The name of "${shown}" is over ${FILE_NAME_LENGTH_MAX} characters.`];
  });
}
