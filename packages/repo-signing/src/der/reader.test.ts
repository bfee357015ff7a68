import { expect, test } from "vitest";
import { encodeOid, formatOid } from "./oid.ts";
import { childrenOf, DerError, octetsOf, oidOf, readDer, TAG, timeOf } from "./reader.ts";
import { encode, integer, oid, sequence, sortedSet, time } from "./writer.ts";

test.each(["1.2.840.113549.1.7.2", "2.16.840.1.101.3.4.2.1", "2.999.3", "0.4.0.2023.1.1"])(
  "the identifier %s is written and read",
  (dotted) => {
    expect(formatOid(encodeOid(dotted))).toBe(dotted);
    expect(Uint8Array.from(readDer(oid(dotted)).body)).toEqual(encodeOid(dotted));
  },
);

test.each([
  ["128 octets are read", 128, undefined],
  ["129 octets are refused", 129, /^name is not an object identifier$/],
  ["a megabyte is refused", 1_000_000, /^name is not an object identifier$/],
  ["no octets are refused", 0, /^name is not an object identifier$/],
])("an identifier of %s", (_case, octets, refusal) => {
  const der = readDer(encode(TAG.oid, new Uint8Array(octets).fill(1)));
  if (refusal) expect(() => oidOf(der, "name")).toThrow(refusal);
  else expect(oidOf(der, "name").split(".")).toHaveLength(129);
});

test.each([0, 1, 127, 128, 255, 256, 65_535, 70_000])("a value of %i bytes is read", (length) => {
  const der = readDer(encode(0x04, new Uint8Array(length)));
  expect(der.body.length).toBe(length);
});

test("numbers are positive and minimal, sets are in order", () => {
  expect(Buffer.from(integer(128)).toString("hex")).toBe("02020080");
  expect(Buffer.from(integer(Uint8Array.of(0, 0, 5))).toString("hex")).toBe("020105");
  const set = sortedSet(0x31, [integer(300), integer(2), integer(1)]);
  expect(childrenOf(readDer(set)).map((der) => Buffer.from(der.body).toString("hex"))).toEqual([
    "01",
    "02",
    "012c",
  ]);
});

test.each([
  ["2026-11-21T12:00:00Z", 0x17],
  ["2049-12-31T23:59:59Z", 0x17],
  ["2050-01-01T00:00:00Z", 0x18],
])("the time %s is written in the form that its year needs", (text, tag) => {
  const der = readDer(time(new Date(text)));
  expect(der.tag).toBe(tag);
  expect(timeOf(der, "time")).toEqual(new Date(text));
});

test("fractions of a second are read to the millisecond", () => {
  const der = readDer(encode(0x18, Buffer.from("20261121120000.5Z")));
  expect(timeOf(der, "time").toISOString()).toBe("2026-11-21T12:00:00.500Z");
});

test.each(["20260230120000Z", "20261121250000Z", "202611211200Z", "20261121120000+0100", ""])(
  "“%s” is refused as a time",
  (text) => {
    expect(() => timeOf(readDer(encode(0x18, Buffer.from(text))), "time")).toThrow(DerError);
  },
);

test.each([
  ["nothing", ""],
  ["a missing length", "30"],
  ["missing contents", "300501"],
  ["an indefinite length that never ends", "3080020101"],
  ["an indefinite length but no parts", "04800000"],
  ["an end of contents that began nowhere", "0000"],
  ["an end of contents with contents", "308000010000"],
  ["seventeen indefinite lengths in each other", `${"3080".repeat(17)}${"0000".repeat(17)}`],
  ["a length in too many bytes", "04850000000001ff"],
  ["a high tag number", "1f810100"],
  ["bytes after the value", "050000"],
])("a value with %s is refused", (_what, hex) => {
  expect(() => readDer(Buffer.from(hex, "hex"))).toThrow(DerError);
});

test("what streaming writers produce is read like its DER form", () => {
  const inParts = readDer(Buffer.from("308024800402010204010300000000", "hex"));
  expect(inParts.raw.length).toBe(15);
  const [octets, ...others] = childrenOf(inParts);
  expect(others).toEqual([]);
  expect([...octetsOf(octets, "text")]).toEqual([1, 2, 3]);
  const padded = readDer(Buffer.from("04840000000107", "hex"));
  expect([...octetsOf(padded, "text")]).toEqual([7]);
});

test("a nest of values is read level by level, however deep it is", () => {
  let nested = sequence();
  for (let depth = 0; depth < 5_000; depth++) nested = sequence(nested);
  let value = readDer(nested);
  for (let depth = 0; depth < 5_000; depth++) value = childrenOf(value)[0] ?? value;
  expect(value.body.length).toBe(0);
});
