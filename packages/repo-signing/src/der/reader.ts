import { formatOid } from "./oid.ts";

/** One value: its identifier octet, its whole encoding and its contents, as views. */
export type Der = {
  readonly tag: number;
  readonly raw: Uint8Array;
  readonly body: Uint8Array;
};

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Values inside one constructed value. Nothing here recurses, so depth needs no limit. */
const MAX_CHILDREN = 10_000;
/** Values of indefinite length inside each other; real signatures have one. */
const MAX_INDEFINITE = 16;
const INDEFINITE = 0x80;
const CONSTRUCTED = 0x20;
const END_OF_CONTENTS_BYTES = 2;

/** The bytes are not the DER that was expected. */
export class DerError extends Error {
  override readonly name = "DerError";
  readonly code = "der-malformed";
}

/** Reads exactly one value that fills `bytes`. */
export function readDer(bytes: Uint8Array): Der {
  const value = readAt(bytes, 0);
  if (value.raw.length !== bytes.length) throw new DerError("there are bytes after the value");
  return value;
}

/** The values inside a constructed value, in order. */
export function childrenOf(der: Der): readonly Der[] {
  if ((der.tag & CONSTRUCTED) === 0) throw new DerError("a constructed value was expected");
  return readAll(der.body);
}

/** All values that stand one after the other in `bytes`. */
export function readAll(bytes: Uint8Array): readonly Der[] {
  const values: Der[] = [];
  for (let offset = 0; offset < bytes.length;) {
    if (values.length === MAX_CHILDREN) throw new DerError("there are too many values");
    const value = readAt(bytes, offset);
    values.push(value);
    offset += value.raw.length;
  }
  return values;
}

export function expectTag(der: Der | undefined, tag: number, what: string): Der {
  if (der === undefined) throw new DerError(`${what} is missing`);
  if (der.tag !== tag) throw new DerError(`${what} has the wrong type`);
  return der;
}

/** The children of a SEQUENCE. */
export function sequenceOf(der: Der | undefined, what: string): readonly Der[] {
  return childrenOf(expectTag(der, TAG.sequence, what));
}

/** The children of a SET. */
export function setOf(der: Der | undefined, what: string): readonly Der[] {
  return childrenOf(expectTag(der, TAG.set, what));
}

/** The children of a SEQUENCE that has at least `min` and at most `max` of them. */
export function fieldsOf(
  der: Der | undefined,
  what: string,
  { min, max = min }: { readonly min: number; readonly max?: number },
): readonly Der[] {
  const fields = sequenceOf(der, what);
  if (fields.length < min) throw new DerError(`${what} lacks fields`);
  if (fields.length > max) throw new DerError(`${what} has surplus fields`);
  return fields;
}

/** The one value inside an explicit tag. */
export function onlyChildOf(der: Der, what: string): Der {
  const [child, ...others] = childrenOf(der);
  if (!child || others.length > 0) throw new DerError(`${what} is not exactly one value`);
  return child;
}

/** @throws DerError also for an identifier of more than 128 octets: known ones have at most 20 */
export function oidOf(der: Der | undefined, what: string): string {
  const dotted = formatOid(expectTag(der, TAG.oid, what).body);
  if (dotted === "") throw new DerError(`${what} is not an object identifier`);
  return dotted;
}

/** An INTEGER in its shortest form (X.690 8.3.2), raw: serial numbers are compared byte by byte. */
export function integerOf(der: Der | undefined, what: string): Der {
  const integer = expectTag(der, TAG.integer, what);
  const [first, second] = integer.body;
  if (first === undefined) throw new DerError(`${what} has no digits`);
  if (second !== undefined) {
    const ninth = second & 0x80;
    if ((first === 0 && ninth === 0) || (first === 0xff && ninth !== 0)) {
      throw new DerError(`${what} is padded`);
    }
  }
  return integer;
}

/** An OCTET STRING, also one in parts (X.690 8.7.3): old countersigned packages carry those. */
export function octetsOf(der: Der | undefined, what: string): Uint8Array {
  if (der?.tag !== (TAG.octetString | CONSTRUCTED)) {
    return expectTag(der, TAG.octetString, what).body;
  }
  return Buffer.concat(childrenOf(der).map((part) => expectTag(part, TAG.octetString, what).body));
}

/** A small, non-negative INTEGER. */
export function smallIntegerOf(der: Der | undefined, what: string): number {
  const { body } = integerOf(der, what);
  if (body.length > 6 || ((body[0] ?? 0) & 0x80) !== 0) {
    throw new DerError(`${what} is not a small positive number`);
  }
  return body.reduce((sum, byte) => sum * 256 + byte, 0);
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,3})\d{0,6})?Z$/;

/** UTCTime (years 1950 to 2049) or GeneralizedTime, both in UTC. */
export function timeOf(der: Der | undefined, what: string): Date {
  if (der?.tag !== TAG.utcTime && der?.tag !== TAG.generalizedTime) {
    throw new DerError(`${what} is missing or no time`);
  }
  const text = Buffer.from(der.body).toString("latin1");
  const full = UTC_TIME.test(text) && der.tag === TAG.utcTime ? withCentury(text) : text;
  const match = GENERALIZED_TIME.exec(full);
  if (!match) throw new DerError(`${what} is not a time in UTC`);
  const [date, clock] = [match.slice(1, 4).join("-"), match.slice(4, 7).join(":")];
  const time = new Date(`${date}T${clock}.${(match[7] ?? "").padEnd(3, "0")}Z`);
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(date)) {
    throw new DerError(`${what} is not a date of the calendar`);
  }
  return time;
}

function withCentury(utcTime: string): string {
  return (utcTime < "50" ? "20" : "19") + utcTime;
}

/**
 * BER as far as signatures in the wild need it (X.690 8.1): low tag numbers, lengths of up to four
 * octets, and indefinite lengths. Whatever is signed or compared is compared by its raw bytes.
 */
function readAt(bytes: Uint8Array, offset: number): Der {
  const { tag, start, length } = headAt(bytes, offset);
  if (tag === 0) throw new DerError("an end of contents is outside of any value");
  if (length === undefined) {
    const end = endOfIndefinite(bytes, start);
    const body = bytes.subarray(start, end - END_OF_CONTENTS_BYTES);
    return { tag, raw: bytes.subarray(offset, end), body };
  }
  const end = start + length;
  return { tag, raw: bytes.subarray(offset, end), body: bytes.subarray(start, end) };
}

type Head = {
  readonly tag: number;
  /** Where the contents begin. */
  readonly start: number;
  /** Undefined when the length is indefinite. */
  readonly length: number | undefined;
};

function headAt(bytes: Uint8Array, offset: number): Head {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new DerError("the value is cut off");
  if ((tag & 0x1f) === 0x1f) throw new DerError("a high tag number is not allowed");
  let start = offset + 2;
  if (first === INDEFINITE) {
    if ((tag & CONSTRUCTED) === 0) throw new DerError("a plain value has an indefinite length");
    return { tag, start, length: undefined };
  }
  let length = first;
  if (first > INDEFINITE) {
    const octets = first & 0x7f;
    if (octets > 4) throw new DerError("the length is too long");
    length = 0;
    for (let index = 0; index < octets; index++) length = length * 256 + (bytes[start++] ?? 0);
  }
  if (start + length > bytes.length) throw new DerError("the value is cut off");
  return { tag, start, length };
}

/** The offset behind the end-of-contents octets that belong to the value that begins before. */
function endOfIndefinite(bytes: Uint8Array, contents: number): number {
  let offset = contents;
  for (let open = 1; open > 0;) {
    const { tag, start, length } = headAt(bytes, offset);
    if (tag === 0 && length !== 0) throw new DerError("the end of contents has contents");
    if (tag === 0) open -= 1;
    if (length === undefined) open += 1;
    if (open > MAX_INDEFINITE) throw new DerError("too many indefinite lengths are nested");
    offset = start + (length ?? 0);
  }
  return offset;
}
