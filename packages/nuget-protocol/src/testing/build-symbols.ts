import { createHash } from "node:crypto";
import { buildNuspec } from "./build-nupkg.ts";
import type { ZipEntry } from "./zip-writer.ts";
import { buildZip } from "./zip-writer.ts";

export type PdbRecipe = {
  /** Makes one PDB different from another. */
  readonly content: string;
  /** 20 bytes: a GUID as it lies in memory, then four more. Default: made from the content. */
  readonly id?: Uint8Array;
  /** Streams in the order of their headers and bytes. Default: as Roslyn writes them. */
  readonly streams?: readonly string[];
};

/** A metadata root with the streams of a portable PDB; only `#Pdb` has a meaning in it. */
export function buildPdb(recipe: PdbRecipe): Uint8Array {
  const { content, streams = ["#Pdb", "#~", "#Strings", "#US", "#GUID", "#Blob"] } = recipe;
  const id = recipe.id ?? createHash("sha256").update(content).digest().subarray(0, 20);
  const bodies = streams.map((name) =>
    name === "#Pdb" ? Buffer.concat([id, Buffer.alloc(12)]) : Buffer.from(`${name} ${content}`),
  );
  const names = streams.map(padded);
  const version = padded("PDB v1.0");
  const headSize = 20 + version.length + names.reduce((sum, name) => sum + 8 + name.length, 0);
  const root = Buffer.alloc(16);
  root.write("BSJB", "latin1");
  root.writeUInt16LE(1, 4);
  root.writeUInt16LE(1, 6);
  root.writeUInt32LE(version.length, 12);
  const counts = Buffer.alloc(4);
  counts.writeUInt16LE(streams.length, 2);
  let offset = headSize;
  const headers = names.map((name, index) => {
    const size = bodies[index]?.length ?? 0;
    const header = Buffer.alloc(8);
    header.writeUInt32LE(offset, 0);
    header.writeUInt32LE(size, 4);
    offset += size;
    return Buffer.concat([header, name]);
  });
  return Uint8Array.from(Buffer.concat([root, version, counts, ...headers, ...bodies]));
}

export type SnupkgRecipe = {
  readonly id: string;
  readonly version: string;
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  /** The whole manifest, instead of the one that `dotnet pack` would write. */
  readonly nuspec?: string;
  readonly entries?: readonly ZipEntry[];
};

/** A symbol package. */
export function buildSnupkg(recipe: SnupkgRecipe): Uint8Array {
  const { id, version, files, entries = [] } = recipe;
  const nuspec =
    recipe.nuspec ??
    buildNuspec(`<id>${id}</id><version>${version}</version>
    <description>The symbols of ${id}.</description>
    <packageTypes><packageType name="SymbolsPackage" /></packageTypes>`);
  return buildZip([
    { name: `${id}.nuspec`, data: nuspec },
    { name: "_rels/.rels", data: "<Relationships />" },
    { name: "[Content_Types].xml", data: "<Types />" },
    ...Object.entries(files).map(([name, data]): ZipEntry => ({ name, data })),
    ...entries,
  ]);
}

/** Ended by a zero and filled with more of them. */
function padded(name: string): Buffer {
  return Buffer.from(name.padEnd((Math.floor(name.length / 4) + 1) * 4, "\0"), "latin1");
}
