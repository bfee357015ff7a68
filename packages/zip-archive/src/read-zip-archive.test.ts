import { expect, test } from "vitest";
import { buildTestArchive } from "./testing/test-archive.ts";
import type { ByteRanges } from "./read-zip-archive.ts";
import { readZipArchive } from "./read-zip-archive.ts";
import { ZipError } from "./zip-error.ts";

const oneFile = [{ name: "a.txt", data: "hello" }];
const plain = buildTestArchive(oneFile);
const zip64Field = Uint8Array.of(1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0);

test("entries span to the next one, with their data descriptors", async () => {
  const bytes = buildTestArchive([
    { name: "a.txt", data: "hello", dataDescriptor: true },
    { name: "b.txt", data: "world", stored: true },
  ]);
  const archive = await readZipArchive(rangesOf(bytes));
  const [first, second] = archive.entries;
  expect(first?.name.toString()).toBe("a.txt");
  expect(first?.start).toBe(0);
  expect(first?.end).toBe(second?.start);
  expect(second?.end).toBe(archive.directoryStart);
});

test("an archive with a comment is read", async () => {
  const bytes = buildTestArchive(oneFile, { comment: "made by hand" });
  expect((await readZipArchive(rangesOf(bytes))).entries).toHaveLength(1);
});

test.each([4_050, 4_070, 4_080, 5_000, 65_515, 65_535])(
  "a comment of %i bytes hides neither the end record nor a ZIP64 locator",
  async (length) => {
    const comment = "c".repeat(length);
    const large = [{ name: "a.bin", data: Buffer.alloc(80_000, 7), stored: true }];
    const { entries } = await readZipArchive(rangesOf(buildTestArchive(large, { comment })));
    expect(entries).toHaveLength(1);
    const zip64 = buildTestArchive(large, { comment, zip64Locator: true });
    const failure = await readZipArchive(rangesOf(zip64)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ problem: "zip64" });
  },
);

test("only the end of a large archive is read", async () => {
  const bytes = buildTestArchive([
    { name: "large.bin", data: Buffer.alloc(4_000_000, 7), stored: true },
  ]);
  const whole = rangesOf(bytes);
  let lowest = bytes.length;
  await readZipArchive({
    size: whole.size,
    read(range) {
      lowest = Math.min(lowest, range?.start ?? 0);
      return whole.read(range);
    },
  });
  expect(lowest).toBeGreaterThanOrEqual(bytes.length - 65_557);
});

const twoAtOnce = buildTestArchive([...oneFile, { name: "b.txt", data: "hello" }]);
twoAtOnce.writeUInt32LE(0, twoAtOnce.length - 22 - (46 + 5) + 42);
const wrongSize = Buffer.from(plain);
wrongSize.writeUInt32LE(9_999, plain.length - 22 - (46 + 5) + 20);
const secondDisk = Buffer.from(plain);
secondDisk.writeUInt16LE(1, plain.length - 22 + 4);
const oneMore = Buffer.from(plain);
oneMore.writeUInt16LE(2, plain.length - 22 + 8);
oneMore.writeUInt16LE(2, plain.length - 22 + 10);

test.each([
  ["nothing", new Uint8Array(), "not-a-zip"],
  ["text", Buffer.from("not a zip at all, but long enough to be one"), "not-a-zip"],
  ["no entries", buildTestArchive([]), "not-a-zip"],
  ["a missing end", plain.subarray(0, -5), "not-a-zip"],
  ["bytes after the end", Buffer.concat([plain, Buffer.from("x")]), "truncated"],
  ["a missing beginning", plain.subarray(20), "gap"],
  ["a gap before the end record", buildTestArchive(oneFile, { gap: Buffer.from("gap") }), "gap"],
  ["a ZIP64 locator", buildTestArchive(oneFile, { zip64Locator: true }), "zip64"],
  ["a ZIP64 field", buildTestArchive([{ name: "a", data: "", extra: zip64Field }]), "zip64"],
  ["a second disk", secondDisk, "multi-disk"],
  ["more entries than it has", oneMore, "truncated"],
  ["two entries at one place", twoAtOnce, "entry-out-of-range"],
  ["an entry longer than the file", wrongSize, "entry-out-of-range"],
])("an archive with %s is refused", async (_what, bytes, problem) => {
  const failure = await readZipArchive(rangesOf(bytes)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ZipError);
  expect(failure).toMatchObject({ problem });
});

/** Stored: a compressor for each file takes most of the time. */
const emptyFile = (index: number) => ({ name: `f${index}`, data: "", stored: true });

test("reads 65,534 entries; one more would be ZIP64", async () => {
  const files = Array.from({ length: 65_534 }, (_, index) => emptyFile(index));
  const bytes = buildTestArchive(files);
  expect((await readZipArchive(rangesOf(bytes))).entries).toHaveLength(65_534);
  bytes.writeUInt32LE(0xffff_ffff, bytes.length - 22 + 8);
  await expect(readZipArchive(rangesOf(bytes))).rejects.toMatchObject({ problem: "zip64" });
});

test.each([
  ["compressed size", 20],
  ["size", 24],
  ["offset", 42],
])("refuses a %s that is in a ZIP64 field", async (_, field) => {
  const bytes = Buffer.from(plain);
  bytes.writeUInt32LE(0xffff_ffff, plain.length - 22 - (46 + 5) + field);
  await expect(readZipArchive(rangesOf(bytes))).rejects.toMatchObject({ problem: "zip64" });
});

test("shows a hostile name without control characters", async () => {
  const bytes = buildTestArchive([{ name: "\u001b[31m\n", data: "hello" }]);
  bytes.writeUInt32LE(9_999, bytes.indexOf("PK\u0001\u0002") + 20);
  await expect(readZipArchive(rangesOf(bytes))).rejects.toThrow(
    '"\\u001b[31m\\n" does not lie inside the archive.',
  );
});

test("refuses a source that gives another number of bytes than its size says", async () => {
  for (const difference of [-1, 1]) {
    const source = { ...rangesOf(plain), size: plain.length + difference };
    await expect(readZipArchive(source)).rejects.toThrow(ZipError);
  }
});

test("others get their turn while a directory of many entries is read", async () => {
  const files = Array.from({ length: 30_000 }, (_, index) => emptyFile(index));
  const bytes = buildTestArchive(files);
  let turns = 0;
  let isReading = true;
  const turn = (): void => {
    turns += 1;
    if (isReading) setImmediate(turn);
  };
  setImmediate(turn);
  const { entries } = await readZipArchive(rangesOf(bytes));
  isReading = false;
  expect(entries).toHaveLength(30_000);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test("the directory may list entries in another order than the file", async () => {
  const bytes = buildTestArchive(["a", "b", "c"].map((name) => ({ name, data: name })));
  const { entries, directoryStart } = await readZipArchive(rangesOf(bytes));
  const [first, ...rest] = entries;
  const headers = [...rest, first].flatMap((entry) => (entry ? [entry.header] : []));
  const turned = Buffer.concat([
    bytes.subarray(0, directoryStart),
    ...headers,
    bytes.subarray(-22),
  ]);
  const read = await readZipArchive(rangesOf(turned));
  expect(read.entries.map(({ start, end }) => [start, end])).toEqual(
    [...rest, first].map((entry) => [entry?.start, entry?.end]),
  );
});

function rangesOf(bytes: Uint8Array): ByteRanges {
  return {
    size: bytes.length,
    async *read(range) {
      yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
    },
  };
}
