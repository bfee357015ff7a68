import type { ByteSource } from "@sealhouse/http-responses";
import type { ZipEntry, ZipFaults } from "./zip-writer.ts";
import { buildZip } from "./zip-writer.ts";

/** Contents of a test package. */
export type NupkgRecipe = {
  readonly id: string;
  readonly version: string;
  /** Further metadata elements, as XML. */
  readonly metadata?: string;
  /** The whole manifest, instead of the one made from id and version. */
  readonly nuspec?: Uint8Array | string;
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  /** Entries as the zip writer takes them: for archives that are wrong on purpose. */
  readonly entries?: readonly ZipEntry[];
  readonly faults?: ZipFaults;
};

/** A small package file; the same recipe always gives the same bytes. */
export function buildNupkg(recipe: NupkgRecipe): Uint8Array {
  const { id, version, files = {}, entries = [] } = recipe;
  const manifest =
    recipe.nuspec ??
    buildNuspec(`<id>${id}</id><version>${version}</version>
    <authors>acme</authors><description>The package ${id}.</description>
    ${recipe.metadata ?? ""}`);
  const all: readonly ZipEntry[] = [
    { name: `${id}.nuspec`, data: manifest },
    { name: "[Content_Types].xml", data: CONTENT_TYPES },
    ...Object.entries(files).map(([name, data]): ZipEntry => ({ name, data })),
    ...entries,
  ];
  return buildZip(all, recipe.faults);
}

/** A manifest around the given metadata elements. */
export function buildNuspec(metadata: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    ${metadata}
  </metadata>
</package>
`;
}

/** Bytes in memory as a source that can be read in parts. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async *read(range) {
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      const piece = 65_536;
      for (let offset = 0; offset < part.length; offset += piece)
        yield part.subarray(offset, offset + piece);
    },
  };
}

const CONTENT_TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="nuspec" ContentType="application/octet" />
</Types>
`;
