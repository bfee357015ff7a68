import { formatOid } from "./oid.ts";

/** One DER value: its identifier octet, its whole encoding and its contents, as views. */
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

/** The bytes are not the DER that was expected. */
export class DerError extends Error {
  override readonly name = "DerError";
}

/** Reads exactly one value that fills `bytes`. */
export function readDer(bytes: Uint8Array): Der {
  const value = readAt(bytes, 0);
  if (value.raw.length !== bytes.length) throw new DerError("there are bytes after the value");
  return value;
}

/** The values inside a constructed value, in order. */
export function childrenOf(der: Der): readonly Der[] {
  if ((der.tag & 0x20) === 0) throw new DerError("a constructed value was expected");
  return readAll(der.body);
}

/** All values that stand one after the other in `bytes`. */
export function readAll(bytes: Uint8Array): readonly Der[] {
  const values: Der[] = [];
  for (let at = 0; at < bytes.length;) {
    if (values.length === MAX_CHILDREN) throw new DerError("there are too many values");
    const value = readAt(bytes, at);
    values.push(value);
    at += value.raw.length;
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

export function oidOf(der: Der | undefined, what: string): string {
  return formatOid(expectTag(der, TAG.oid, what).body);
}

export function octetsOf(der: Der | undefined, what: string): Uint8Array {
  return expectTag(der, TAG.octetString, what).body;
}

/** A small, non-negative INTEGER. */
export function smallIntegerOf(der: Der | undefined, what: string): number {
  const { body } = expectTag(der, TAG.integer, what);
  if (body.length === 0 || body.length > 6 || ((body[0] ?? 0) & 0x80) !== 0) {
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
  const found = GENERALIZED_TIME.exec(full);
  if (!found) throw new DerError(`${what} is not a time in UTC`);
  const [date, clock] = [found.slice(1, 4).join("-"), found.slice(4, 7).join(":")];
  const time = new Date(`${date}T${clock}.${(found[7] ?? "").padEnd(3, "0")}Z`);
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(date)) {
    throw new DerError(`${what} is not a date of the calendar`);
  }
  return time;
}

function withCentury(utcTime: string): string {
  return (utcTime < "50" ? "20" : "19") + utcTime;
}

/** Definite, minimal lengths and low tag numbers only, as DER wants and NuGet writes. */
function readAt(bytes: Uint8Array, at: number): Der {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError("the value is cut off");
  if ((tag & 0x1f) === 0x1f) throw new DerError("a high tag number is not allowed");
  let length = first;
  let start = at + 2;
  if (first >= 0x80) {
    const octets = first & 0x7f;
    if (octets === 0 || octets > 4) throw new DerError("the length is indefinite or too long");
    length = 0;
    for (let index = 0; index < octets; index++) length = length * 256 + (bytes[start++] ?? 0);
    if (length < 0x80 || length < 256 ** (octets - 1)) throw new DerError("the length is padded");
  }
  const end = start + length;
  if (end > bytes.length) throw new DerError("the value is cut off");
  return { tag, raw: bytes.subarray(at, end), body: bytes.subarray(start, end) };
}
