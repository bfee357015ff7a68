import { buildZip } from "../zip-writer.ts";
import type { Random } from "./random.ts";

type Change = (bytes: Buffer, random: Random) => Buffer;

const CHANGES_MAX = 4;
const FLIPS_MAX = 16;
const RANGE_MAX = 2000;
/** Positions of the records of a zip file. */
const SIGNATURES = [0x04034b50, 0x02014b50, 0x06054b50, 0x08074b50] as const;
const HEADER_SIZE = 46;

/** The bytes with one to four changes of the kinds that break readers. */
export function mutate(bytes: Uint8Array, random: Random): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let count = 1 + random.below(CHANGES_MAX); count > 0; count--) {
    changed = random.pick(CHANGES)(changed, random);
  }
  return changed;
}

/** A package around a manifest that was mutated as text, so that checksums are right again. */
export function mutateManifest(
  manifest: string,
  entries: readonly { readonly name: string; readonly data: Uint8Array | string }[],
  random: Random,
): Uint8Array {
  let text = manifest;
  for (let count = 1 + random.below(CHANGES_MAX); count > 0; count--) {
    text = random.pick(TEXT_CHANGES)(text, random);
  }
  const name = random.below(20) === 0 ? "Fuzzed.NUSPEC" : "fuzzed.nuspec";
  return buildZip([{ name, data: text }, ...entries]);
}

const CHANGES: readonly [Change, ...Change[]] = [
  flipBytes,
  flipBytes,
  changeHeaderField,
  changeHeaderField,
  changeHeaderField,
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => bytes.subarray(random.below(Math.min(bytes.length, 64))),
  duplicateRange,
  removeRange,
  (bytes, random) => Buffer.concat([bytes, Buffer.alloc(random.below(100), random.below(256))]),
];

function flipBytes(bytes: Buffer, random: Random): Buffer {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  for (let count = 1 + random.below(FLIPS_MAX); count > 0; count--) {
    const offset = random.below(changed.length);
    changed[offset] = (changed[offset] ?? 0) ^ (1 + random.below(255));
  }
  return changed;
}

function changeHeaderField(bytes: Buffer, random: Random): Buffer {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(random.pick(SIGNATURES));
  const offsets: number[] = [];
  for (
    let offset = bytes.indexOf(signature);
    offset !== -1;
    offset = bytes.indexOf(signature, offset + 4)
  ) {
    offsets.push(offset);
  }
  const [first, ...others] = offsets;
  if (first === undefined) return bytes;
  const fieldOffset = random.pick([first, ...others]) + 4 + random.below(HEADER_SIZE - 4);
  const changed = Buffer.from(bytes);
  if (fieldOffset + 4 > changed.length) return bytes;
  const values = [0, 1, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff] as const;
  const value = random.below(3) === 0 ? random.below(bytes.length * 2) : random.pick(values);
  if (random.below(2) === 0) changed.writeUInt16LE(value & 0xffff, fieldOffset);
  else changed.writeUInt32LE(value >>> 0, fieldOffset);
  return changed;
}

function duplicateRange(bytes: Buffer, random: Random): Buffer {
  const from = random.below(bytes.length);
  const range = bytes.subarray(from, from + 1 + random.below(RANGE_MAX));
  const to = random.below(bytes.length);
  return Buffer.concat([bytes.subarray(0, to), range, bytes.subarray(to)]);
}

function removeRange(bytes: Buffer, random: Random): Buffer {
  const from = random.below(bytes.length);
  const end = from + 1 + random.below(RANGE_MAX);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(end)]);
}

type TextChange = (text: string, random: Random) => string;

const TEXT_CHANGES: readonly [TextChange, ...TextChange[]] = [
  (text, random) => inserted(text, random.pick(PIECES), random),
  (text, random) => inserted(text, random.pick(PIECES).repeat(1 + random.below(500)), random),
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => {
    const from = random.below(text.length);
    return text.slice(0, from) + text.slice(from + 1 + random.below(60));
  },
  (text, random) => {
    const from = random.below(text.length);
    return inserted(text, text.slice(from, from + 1 + random.below(300)), random);
  },
  // The content of an element is what most rules look at.
  (text, random) =>
    text.replaceAll(/>[^<]*</g, (old) =>
      random.below(8) === 0 ? `>${random.pick(CONTENTS)}<` : old,
    ),
  (text, random) =>
    text.replaceAll(/"[^"]*"/g, (old) =>
      random.below(6) === 0 ? `"${random.pick(CONTENTS)}"` : old,
    ),
];

function inserted(text: string, piece: string, random: Random): string {
  const index = random.below(text.length + 1);
  return text.slice(0, index) + piece + text.slice(index);
}

const PIECES: readonly [string, ...string[]] = [
  "<",
  ">",
  "&",
  '"',
  "'",
  "]]>",
  "<![CDATA[",
  "<!--",
  "-->",
  '<!DOCTYPE a [<!ENTITY b "bbbb">]>',
  "&b;",
  "&#0;",
  "&#x10ffff;",
  "&#xffffffff;",
  "<?xml version='1.0' encoding='utf-16'?>",
  "<?a",
  "<a>",
  "</a>",
  "<metadata>",
  "</metadata>",
  "<__proto__/>",
  "<constructor>x</constructor>",
  "<toString/>",
  ' __proto__="x"',
  '<dependency id="A" version="1.*"/>',
  '<group targetFramework="net8.0"><dependency id="A"/></group>',
  "<license type='expression'>MIT OR (",
  "<icon>../../etc/passwd</icon>",
  "<readme>a%2e%2e/b.md</readme>",
  "\u0000",
  "\ud800",
  "\ufeff",
  "\u202e",
];

const CONTENTS: readonly [string, ...string[]] = [
  "",
  " ",
  "0",
  "-1",
  "1.0.0-",
  "1.0.0+",
  "99999999999.0",
  "1.0.0-a.b+c",
  "__proto__",
  "constructor",
  "$id$",
  "a".repeat(5000),
  "[1.0,2.0)",
  "(,)",
  "[,]",
  "(1.0,1.0)",
  "http://",
  "javascript:alert(1)",
  "https://acme.example/%00",
  "..\\..\\a.txt",
  "/",
  ".",
  "README.md",
  "net8.0-windows10.0.19041.0",
  "portable-net45+win8+wp8",
  "((((((((((((((((((((((((((((((((((((((((",
  "MIT AND ".repeat(400),
  "\u{1f9ad}",
  "&#x1b;",
];
