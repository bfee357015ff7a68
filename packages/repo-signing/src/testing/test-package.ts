import { buildTestArchive } from "@sealhouse/zip-archive/testing";
import type { ArchiveOddities, TestEntry } from "@sealhouse/zip-archive/testing";

/** A minimal package: nuspec, content types, one text file. */
export function buildTestPackage(
  id: string,
  version: string,
  options: { readonly files?: readonly TestEntry[]; readonly odd?: ArchiveOddities } = {},
): Buffer {
  const nuspec = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><id>${id}</id>
<version>${version}</version><authors>Test</authors><description>Test package</description>
</metadata></package>`;
  const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="nuspec" ContentType="application/octet" />
<Default Extension="txt" ContentType="application/octet" />
<Default Extension="p7s" ContentType="application/octet" /></Types>`;
  const entries = [
    { name: `${id}.nuspec`, data: nuspec },
    { name: "[Content_Types].xml", data: types },
    { name: "content/read.txt", data: "Hello\n" },
    ...(options.files ?? []),
  ];
  return buildTestArchive(entries, options.odd);
}
