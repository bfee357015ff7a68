import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { ByteSource } from "@sealhouse/http-responses";
import { ZipArchive } from "archiver";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openNupkg } from "../archive/nupkg.ts";
import type { NupkgRecipe } from "../testing/build-nupkg.ts";
import { buildNupkg, buildNuspec, sourceOf } from "../testing/build-nupkg.ts";
import type { ZipEntry } from "../testing/zip-writer.ts";
import { buildZip } from "../testing/zip-writer.ts";
import { validatePackage } from "./validate-package.ts";

const identity = { id: "Acme.Widgets", version: "1.2.3-beta.1+x" };
const NUSPEC = buildNuspec(`<id>A</id><version>1.0</version><authors>a</authors>
  <description>d</description>`);
const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");

test("reads what a sound package tells about itself", async () => {
  const bytes = buildNupkg({
    ...identity,
    metadata: `<icon>images/icon.png</icon><readme>README.md</readme>
      <license type="file">LICENSE</license>
      <licenseUrl>https://aka.ms/deprecateLicenseUrl</licenseUrl>`,
    files: { "images/icon.png": PNG, "README.md": "# Größe", LICENSE: "free", "lib/a.dll": "MZ" },
  });
  const verdict = await validatePackage(sourceOf(bytes));
  expect(verdict).toMatchObject({
    status: "valid",
    package: {
      nuspec: { id: "Acme.Widgets", version: "1.2.3-beta.1+x" },
      version: { normalized: "1.2.3-beta.1" },
      isSemVer2: true,
      isSigned: false,
      warnings: [],
    },
  });
  if (verdict.status === "invalid") throw new Error("it is valid");
  expect(Buffer.from(verdict.package.nuspecBytes).toString()).toContain("<id>Acme.Widgets</id>");
});

test("finds named files however their paths are written, and takes a byte order mark", async () => {
  const bytes = buildNupkg({
    ...identity,
    metadata: `<icon>Images\\Icon.PNG</icon><readme>.\\docs\\ReadMe.md</readme>
      <license type="file">/legal/license.TXT</license>`,
    files: { "images/icon.png": PNG, "docs/README.md": "\ufeff# a", "legal/LICENSE.txt": "free" },
  });
  expect(await problemsOf(bytes)).toEqual([]);
});

test("reads an archive that another writer streamed, with descriptors and a comment", async () => {
  const zip = new ZipArchive({ comment: "made by a stream" });
  zip.append(NUSPEC, { name: "A.nuspec" });
  zip.append(randomBytes(200_000), { name: "lib/net8.0/big.dll" });
  zip.append(Buffer.alloc(300_000, "text "), { name: "content/größe.txt" });
  zip.append("", { name: "empty.txt" });
  const [bytes] = await Promise.all([buffer(zip), zip.finalize()]);
  expect(await validatePackage(sourceOf(bytes))).toMatchObject({ status: "valid" });
});

test("warns about what its author should change", async () => {
  const metadata = "<licenseUrl>https://acme.example/license</licenseUrl><readme>r.md</readme>";
  const files = { "r.md": "# Widgets" };
  const verdict = await validatePackage(sourceOf(buildNupkg({ ...identity, metadata, files })));
  expect(verdict).toMatchObject({
    status: "valid",
    package: { warnings: [expect.stringContaining("<licenseUrl> is deprecated")] },
  });
});

const file = (name: string) => ({ entries: [{ name, data: "x" }] });
const zip64Extra = Buffer.from("0100080000000000000000ff", "hex");

const REFUSED: readonly (readonly [string, Partial<NupkgRecipe>, RegExp])[] = [
  ["a path that climbs", file("../evil.dll"), /leaves its folder/],
  ["a path that climbs from inside", file("lib/../../evil.dll"), /leaves its folder/],
  ["a percent-encoded climb", file("lib/%2e%2e/%2E%2e/evil.dll"), /leaves its folder/],
  ["a percent-encoded slash", file("..%2fevil.dll"), /leaves its folder/],
  ["a percent-encoded backslash", file("..%5cevil.dll"), /leaves its folder/],
  ["a backslash climb", file("..\\evil.dll"), /leaves its folder/],
  ["an absolute path", file("/etc/passwd"), /leaves its folder/],
  ["a server path", file("\\\\server\\share"), /leaves its folder/],
  ["a drive", file("C:\\evil.dll"), /names a drive/],
  ["an encoded drive", file("%43:/evil.dll"), /names a drive/],
  ["an empty part", file("lib//a.dll"), /empty parts/],
  ["a single dot", file("lib/./a.dll"), /leaves its folder or has empty/],
  ["an empty name", file(""), /empty parts/],
  ["a null character", file("lib/a\u0000.dll"), /control characters/],
  ["an encoded line break", file("lib/a%0d%0a.dll"), /control characters/],
  ["one name in two casings", { files: { "lib/a.dll": "1", "LIB/A.DLL": "2" } }, /twice/],
  ["one name twice after decoding", { files: { "lib/a b": "1", "lib/a%20b": "2" } }, /twice/],
  ["a folder and a file of one name", { files: { "lib/": "", lib: "2" } }, /twice/],
  ["a folder with content", { files: { "lib/": "content" } }, /folder "lib" has content/],
  ["two manifests", file("other.nuspec"), /2 \.nuspec files/],
  ["encryption", { entries: [{ name: "a", data: "x", flags: 1 }] }, /encrypted/],
  [
    "an unknown method",
    { entries: [{ name: "a", data: "x", claimed: { method: 14 } }] },
    /method 14/,
  ],
  ["a wrong checksum", { entries: [{ name: "a", data: "x", claimed: { crc32: 1 } }] }, /damaged/],
  [
    "a wrong checksum in a large file",
    { entries: [{ name: "a", data: Buffer.alloc(200_000, "ab"), claimed: { crc32: 1 } }] },
    /damaged/,
  ],
  [
    "more content than claimed",
    { entries: [{ name: "a", data: Buffer.alloc(1000), claimed: { size: 10 } }] },
    /damaged/,
  ],
  [
    "much more content than claimed",
    { entries: [{ name: "a", data: Buffer.alloc(50_000_000), claimed: { size: 100_000 } }] },
    /longer than it claims/,
  ],
  [
    "less content than claimed",
    { entries: [{ name: "a", data: "x", claimed: { size: 5 } }] },
    /is 1 bytes long and claims 5/,
  ],
  [
    "stored content of two sizes",
    { entries: [{ name: "a", data: "xx", method: "store", claimed: { size: 1 } }] },
    /two sizes/,
  ],
  [
    "compressed data larger than it could be",
    { entries: [{ name: "a", data: randomBytes(9000), claimed: { size: 10 } }] },
    /larger compressed/,
  ],
  ["a bomb", { entries: [{ name: "a", data: Buffer.alloc(70 * 1024 ** 2) }] }, /too much/],
  [
    "a claimed petabyte",
    {
      entries: ["a", "b", "c", "d", "e"].map((name) => ({
        name,
        data: "x",
        claimed: { size: 4_000_000_000 },
      })),
    },
    /too much/,
  ],
  [
    "overlapping files",
    { entries: [{ name: "a", data: "x", claimed: { offset: 0 } }] },
    /contradict|overlaps/,
  ],
  ["a file outside", { entries: [{ name: "a", data: "x", claimed: { offset: 9e8 } }] }, /inside/],
  ["two names for one file", { entries: [{ name: "a", data: "x", localName: "b" }] }, /contradict/],
  ["ZIP64 in the directory", { entries: [{ name: "a", data: "x", extra: zip64Extra }] }, /ZIP64/],
  [
    "ZIP64 in a local header",
    { entries: [{ name: "a", data: "x", localExtra: zip64Extra }] },
    /ZIP64/,
  ],
  ["a ZIP64 size", { entries: [{ name: "a", data: "x", claimed: { size: 0xffffffff } }] }, /ZIP64/],
  ["a ZIP64 locator", { faults: { hasZip64Locator: true } }, /ZIP64/],
  ["bytes before the archive", { faults: { prefix: Buffer.from("MZ") } }, /before its first file/],
  [
    "bytes before its end record",
    { faults: { gap: Buffer.from("xx") } },
    /directly before its end/,
  ],
  [
    "a file before the directory that the directory does not have",
    { faults: { beforeDirectory: Buffer.from("xPK\u0003\u0004 evil.dll") } },
    /a file that the directory does not have/,
  ],
  [
    "much before the directory that belongs to no file",
    { faults: { beforeDirectory: Buffer.alloc(65 * 1024) } },
    /belong to no file/,
  ],
  [
    "bytes after the archive",
    { faults: { suffix: Buffer.from("xx") } },
    /does not end where its end record says/,
  ],
  ["a claim of more files", { faults: { entryCount: 9 } }, /fewer files/],
  ["a claim of fewer files", { faults: { entryCount: 1 } }, /wrong size/],
  ["a claim of 65,534 files", { faults: { entryCount: 65_534 } }, /fewer files/],
  ["a claim of 65,535 files", { faults: { entryCount: 65_535 } }, /ZIP64/],
  ["a second disk", { faults: { disk: 1 } }, /several disks/],
  [
    "an end record in the comment",
    { faults: { comment: "PK\u0005\u0006" + "a".repeat(30) } },
    /does not end where its end record says/,
  ],
  ["a compressed signature", { files: { ".signature.p7s": "x" } }, /not written the way/],
  [
    "a signature in capitals",
    { entries: [{ name: ".SIGNATURE.P7S", data: "x", method: "store" }] },
    /not written/,
  ],
  [
    "a manifest of two mebibytes",
    { nuspec: Buffer.alloc(2 * 1024 ** 2, " ") },
    /larger than 1048576/,
  ],
  ["a manifest with a document type", { nuspec: "<!DOCTYPE a><package/>" }, /document type/],
  [
    "a symbols package",
    { metadata: '<packageTypes><packageType name="SymbolsPackage"/></packageTypes>' },
    /symbols/,
  ],
  ["a missing icon", { metadata: "<icon>icon.png</icon>" }, /"icon\.png" is not in the package/],
  ["a missing readme", { metadata: "<readme>README.md</readme>" }, /readme file/],
  ["a missing license", { metadata: '<license type="file">LICENSE.txt</license>' }, /license file/],
  [
    "an icon that is none",
    { metadata: "<icon>i.png</icon>", files: { "i.png": "<svg/>" } },
    /neither a PNG/,
  ],
  [
    "an icon of another kind",
    { metadata: "<icon>i.svg</icon>", files: { "i.svg": "<svg/>" } },
    /wrong kind/,
  ],
  [
    "a huge icon",
    { metadata: "<icon>i.png</icon>", files: { "i.png": randomBytes(1024 ** 2 + 1) } },
    /over 1048576/,
  ],
  [
    "a readme in Latin-1",
    { metadata: "<readme>r.md</readme>", files: { "r.md": Buffer.of(0x47, 0xf6) } },
    /UTF-8/,
  ],
];

test.each(REFUSED)("refuses %s", async (_, recipe, reason) => {
  expect((await problemsOf(buildNupkg({ ...identity, ...recipe }))).join(" ")).toMatch(reason);
});

test("accepts 65,533 files, and one more only where it is the signature", async () => {
  // A compressor for each file takes most of the time.
  const entriesOf = (count: number) =>
    Array.from({ length: count }, (_, index): ZipEntry => {
      return { name: `f${index}`, data: "", method: "store" };
    });
  const open = (count: number, ...more: readonly ZipEntry[]) =>
    openNupkg(sourceOf(buildNupkg({ ...identity, entries: [...entriesOf(count), ...more] })));
  const { length: others } = (await open(0)).directory.entries;
  const signature: ZipEntry = { name: ".signature.p7s", data: "x", method: "store" };
  expect(await open(65_533 - others)).toMatchObject({ isSigned: false });
  await expect(open(65_534 - others)).rejects.toThrow(/more than 65533 files/);
  expect(await open(65_533 - others, signature)).toMatchObject({ isSigned: true });
  await expect(open(65_534 - others, signature)).rejects.toThrow(/ZIP64/);
});

test("refuses bytes that are not a package", async () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from("hello"),
    Buffer.alloc(100_000),
    buildZip([]),
  ]) {
    expect(await problemsOf(bytes)).toHaveLength(1);
  }
  const nested = buildZip([{ name: "sub/a.nuspec", data: "<package/>" }]);
  expect(await problemsOf(nested)).toEqual(["The package has no .nuspec file at its root."]);
});

test("gives the reasons of the manifest and of the files together", async () => {
  const bytes = buildNupkg({ ...identity, metadata: "<icon>a.png</icon><readme>b.md</readme>" });
  expect(await problemsOf(bytes)).toHaveLength(2);
});

test("takes manifests below the root for content", async () => {
  const bytes = buildNupkg({ ...identity, files: { "content/template.nuspec": "<package/>" } });
  expect(await validatePackage(sourceOf(bytes))).toMatchObject({ status: "valid" });
});

test("refuses a package that ends anywhere too early", async () => {
  const whole = buildNupkg({ ...identity, files: { "lib/a.dll": randomBytes(300) } });
  for (let size = 0; size < whole.length; size += 13) {
    expect(await problemsOf(whole.subarray(0, size))).not.toEqual([]);
  }
});

test("refuses a package with any byte changed, or reads it as the same", async () => {
  const whole = buildNupkg({ ...identity, files: { "lib/a.dll": randomBytes(300) } });
  const original = await validatePackage(sourceOf(whole));
  if (original.status === "invalid") throw new Error("it is valid");
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (index, bits) => {
        const changed = Uint8Array.from(whole);
        changed[index] = (changed[index] ?? 0) ^ bits;
        const verdict = await validatePackage(sourceOf(changed));
        if (verdict.status === "invalid") expect(verdict.problems).not.toEqual([]);
        else expect(verdict.package.nuspec).toEqual(original.package.nuspec);
      },
    ),
    { numRuns: 400 },
  );
});

test("closes the source of a large package, and stays small in memory", async () => {
  const megabytes = 300;
  const block = randomBytes(1024 ** 2);
  const huge = repeated(block, megabytes);
  const before = process.memoryUsage().rss;
  const verdict = await validatePackage(huge.source);
  expect(verdict).toMatchObject({
    status: "invalid",
    problems: [expect.stringContaining("damaged")],
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 ** 2);
  expect(huge.opened()).toBe(huge.closed());
});

async function problemsOf(bytes: Uint8Array): Promise<readonly string[]> {
  const verdict = await validatePackage(sourceOf(bytes));
  return verdict.status === "invalid" ? verdict.problems : [];
}

/** A package of which one stored file is `count` times the block, never whole in memory. */
function repeated(block: Uint8Array, count: number) {
  const size = block.length * count;
  const small = buildZip([
    { name: "a.nuspec", data: NUSPEC },
    { name: "big.bin", data: "", method: "store", claimed: { size, compressedSize: size } },
  ]);
  const bytes = Buffer.from(small);
  const directoryAt = bytes.readUInt32LE(bytes.length - 6);
  bytes.writeUInt32LE(directoryAt + size, bytes.length - 6);
  let [opened, closed] = [0, 0];
  const total = bytes.length + size;
  const source: ByteSource = {
    size: total,
    async *read({ start, end } = { start: 0, end: total - 1 }) {
      opened += 1;
      try {
        for (let offset = start; offset <= end;) {
          const piece = pieceAt(offset, end);
          offset += piece.length;
          yield piece;
        }
      } finally {
        closed += 1;
      }
    },
  };
  return { source, opened: () => opened, closed: () => closed };

  function pieceAt(offset: number, end: number): Uint8Array {
    const most = end - offset + 1;
    if (offset < directoryAt) return bytes.subarray(offset, Math.min(directoryAt, offset + most));
    if (offset >= directoryAt + size) return bytes.subarray(offset - size, offset - size + most);
    const inside = (offset - directoryAt) % block.length;
    const left = Math.min(block.length - inside, directoryAt + size - offset, most);
    return block.subarray(inside, inside + left);
  }
}
