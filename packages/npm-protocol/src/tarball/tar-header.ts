import { refused } from "./refused.ts";

export const BLOCK_BYTES = 512;

/** One header block, before long names are applied. */
export type TarHeader = {
  readonly name: string;
  readonly size: number;
  /** The type flag; `0` for a file, even when an old writer wrote a zero byte. */
  readonly type: string;
};

/** Reads a POSIX (ustar) or GNU header; undefined for a block of zeros, which ends the archive. */
export function parseTarHeader(block: Buffer): TarHeader | undefined {
  if (isZero(block)) return undefined;
  checkSum(block);
  const magic = block.toString("latin1", 257, 265);
  if (magic !== "ustar\x0000" && magic !== "ustar  \0") throw refused("has an unknown tar format");
  const prefix = magic === "ustar\x0000" ? textAt(block, 345, 155) : "";
  const name = textAt(block, 0, 100);
  const type = block.readUInt8(156) === 0 ? "0" : block.toString("latin1", 156, 157);
  return { name: prefix === "" ? name : `${prefix}/${name}`, size: numberAt(block, 124, 12), type };
}

/** The records of a pax header: `<length> <key>=<value>\n`, where the length is the whole one. */
export function parsePaxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let index = 0; index < bytes.length;) {
    const space = bytes.indexOf(0x20, index);
    const digits = space === -1 ? "" : bytes.toString("latin1", index, space);
    const end = index + Number(/^[1-9]\d{0,6}$/.test(digits) ? digits : Number.NaN);
    const record = bytes.subarray(space + 1, end - 1);
    const equals = record.indexOf(0x3d);
    if (!(end <= bytes.length) || equals < 1 || bytes[end - 1] !== 0x0a) {
      throw refused("has a broken pax header");
    }
    const key = decodeUtf8(record.subarray(0, equals));
    if (records.has(key)) throw refused("has a pax header that says one thing twice");
    records.set(key, decodeUtf8(record.subarray(equals + 1)));
    index = end;
  }
  return records;
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw refused("has a path that is not UTF-8", cause);
  }
}

export function isZero(bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index += ZEROS.length) {
    const part = bytes.subarray(index, index + ZEROS.length);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}

const ZEROS = Buffer.alloc(4096);

function checkSum(block: Buffer): void {
  let sum = 8 * 0x20; // the checksum's own field counts as blanks
  for (let index = 0; index < 148; index += 1) sum += block[index] ?? 0;
  for (let index = 156; index < block.length; index += 1) sum += block[index] ?? 0;
  if (numberAt(block, 148, 8) !== sum)
    throw refused("is damaged: a tar header's checksum is wrong");
}

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return decodeUtf8(end === -1 ? field : field.subarray(0, end));
}

/** Octal digits, or (GNU, for more than 8 GiB) a base-256 number marked by the first bit. */
function numberAt(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  if (field.readUInt8(0) === 0x80) {
    const high = field.subarray(1, length - 6);
    if (isZero(high)) return field.readUIntBE(length - 6, 6);
    throw refused("has a number in a tar header that is too large");
  }
  const digits = /^ *([0-7]*)[ \0]*$/.exec(field.toString("latin1"))?.[1];
  if (digits === undefined) throw refused("has a broken number in a tar header");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}
