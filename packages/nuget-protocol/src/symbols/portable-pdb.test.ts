import { createHash } from "node:crypto";
import { array, assert, integer, nat, oneof, property, tuple, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { buildPdb } from "../testing/build-symbols.ts";
import type { PortablePdb } from "./portable-pdb.ts";
import { PortablePdbError, createPdbReader } from "./portable-pdb.ts";

const ID = Buffer.from("33221100554477668899aabbccddeeff01020304", "hex");
const HEADERS_SIZE = 128;

function read(bytes: Uint8Array, chunkSize = bytes.length): PortablePdb {
  const reader = createPdbReader(bytes.length);
  for (let offset = 0; offset < bytes.length; offset += chunkSize) {
    reader.write(bytes.subarray(offset, offset + chunkSize));
  }
  return reader.end();
}

function changed(bytes: Uint8Array, change: (copy: Buffer) => void): Uint8Array {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

describe("the id of a portable PDB", () => {
  const pdb = buildPdb({ content: "one", id: ID });

  test("gives the key: the GUID with its first fields turned round, then the age ffffffff", () => {
    expect(read(pdb).symbolKey).toBe("00112233445566778899aabbccddeeffffffffff");
  });

  test("does not count in the checksum, and everything else does", () => {
    const zeroed = changed(pdb, (copy) => copy.fill(0, copy.indexOf(ID), copy.indexOf(ID) + 20));
    expect(read(pdb).checksum).toBe(createHash("sha256").update(zeroed).digest("hex"));
    const other = changed(pdb, (copy) => copy.writeUInt8(0x7a, copy.length - 1));
    expect(read(other).checksum).not.toBe(read(pdb).checksum);
  });

  test("is found wherever its stream lies", () => {
    const streams = ["#~", "#Strings", "#Blob", "#Pdb"];
    const late = buildPdb({ content: "x".repeat(100_000), id: ID, streams });
    expect(read(late).symbolKey).toBe(read(pdb).symbolKey);
    expect(read(late, 1000)).toEqual(read(late));
  });

  test("and the checksum are the same however the file is cut into chunks", () => {
    const streams = ["#~", "#Pdb", "#Blob"];
    const file = buildPdb({ content: "y".repeat(1_500), id: ID, streams });
    const whole = read(file);
    assert(
      property(integer({ min: 1, max: file.length }), (size) => {
        expect(read(file, size)).toEqual(whole);
      }),
    );
  });
});

describe("refuses files that are not a portable PDB", () => {
  const pdb = buildPdb({ content: "one", id: ID });
  const windows = Buffer.from("Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0".padEnd(4096, "\0"));

  test.each([
    ["an empty file", Buffer.of(), "is empty or ends early"],
    ["a Windows PDB", windows, "is a Windows PDB; only portable PDBs are taken"],
    ["text", Buffer.from("hello, world"), "is not a portable PDB"],
    ["four right bytes", Buffer.from("BSJB"), "has a broken header"],
    ["half a header", pdb.subarray(0, 24), "ends within its header"],
    ["half a list of streams", pdb.subarray(0, 36), "ends within its list of streams"],
    ["half a file", pdb.subarray(0, -10), "has a stream that ends behind the file"],
    [
      "a version text without end",
      changed(pdb, (copy) => copy.writeUInt32LE(0xffff_fff0, 12)),
      "has a broken header",
    ],
    [
      "very many streams",
      changed(pdb, (copy) => copy.writeUInt16LE(0xffff, 30)),
      "has more than 32 streams",
    ],
    [
      "an id inside the headers",
      changed(pdb, (copy) => copy.writeUInt32LE(4, 32)),
      "has no room for its id",
    ],
    [
      "a stream name without end",
      changed(pdb, (copy) => copy.fill(0x41, 40, HEADERS_SIZE)),
      "has a stream whose name does not end",
    ],
    [
      "the metadata of a program",
      buildPdb({ content: "one", streams: ["#~", "#Strings", "#Blob"] }),
      "has .NET metadata, but no debugging information",
    ],
    [
      "two ids",
      buildPdb({ content: "one", streams: ["#Pdb", "#~", "#Pdb"] }),
      "has two streams of one name",
    ],
  ])("is refused with the reason: %s", (_, bytes, reason) => {
    expect(() => read(bytes)).toThrow(PortablePdbError);
    expect(() => read(bytes)).toThrow(reason);
  });

  test("refuses a file that is longer or shorter than announced", () => {
    const longer = createPdbReader(pdb.length - 1);
    expect(() => longer.write(pdb)).toThrow(PortablePdbError);
    const shorter = createPdbReader(pdb.length + 1);
    shorter.write(pdb);
    expect(() => shorter.end()).toThrow(PortablePdbError);
  });
});

describe("hostile bytes", () => {
  function outcome(bytes: Uint8Array, chunkSize: number): PortablePdb | undefined {
    try {
      return read(bytes, chunkSize);
    } catch (error) {
      expect(error).toBeInstanceOf(PortablePdbError);
      return undefined;
    }
  }

  test("never throw anything but the reader's own error", () => {
    const chunkSize = integer({ min: 1, max: 64 });
    const bytes = uint8Array({ maxLength: 4_096 });
    const after = (start: string) =>
      bytes.map((rest) => Buffer.concat([Buffer.from(start, "latin1"), rest]));
    const start = "BSJB\x01\0\x01\0\0\0\0\0\x0c\0\0\0PDB v1.0\0\0\0\0\0\0";
    assert(
      property(oneof(bytes, after("BSJB"), after(start)), chunkSize, (file, size) => {
        outcome(file, size);
      }),
      { numRuns: 500 },
    );
  });

  test("that differ from a PDB in a few places give the right checksum or the error", () => {
    const pdb = buildPdb({ content: "one", id: ID });
    const change = tuple(nat(pdb.length - 1), nat(255));
    assert(
      property(array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const file = changed(pdb, (copy) => {
          for (const [offset, value] of changes) copy[offset] = value;
        });
        const [whole, piecemeal] = [outcome(file, file.length), outcome(file, 7)];
        expect(piecemeal).toEqual(whole);
        if (whole) expect(whole.symbolKey).toMatch(/^[0-9a-f]{32}ffffffff$/);
      }),
      { numRuns: 1_000 },
    );
  });
});
