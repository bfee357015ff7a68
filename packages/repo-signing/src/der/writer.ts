import { encodeOid } from "./oid.ts";
import { TAG } from "./reader.ts";

/**
 * Writes DER (X.690). Every function returns one complete value:
 * identifier octet, definite minimal length, contents.
 */
export function encode(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const octets: number[] = [];
  if (length < 0x80) octets.push(length);
  else {
    for (let left = length; left > 0; left = Math.floor(left / 256)) octets.unshift(left % 256);
    octets.unshift(0x80 + octets.length);
  }
  return Buffer.concat([Uint8Array.of(tag, ...octets), ...parts]);
}

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return encode(TAG.sequence, ...parts);
}

/** X.690 11.6: the encodings of a SET OF are in ascending order. */
export function sortedSet(tag: number, values: readonly Uint8Array[]): Uint8Array {
  return encode(tag, ...values.toSorted((left, right) => Buffer.compare(left, right)));
}

export function oid(dotted: string): Uint8Array {
  return encode(TAG.oid, encodeOid(dotted));
}

export function octetString(bytes: Uint8Array): Uint8Array {
  return encode(TAG.octetString, bytes);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return encode(TAG.bitString, Uint8Array.of(unusedBits), bytes);
}

export function boolean(value: boolean): Uint8Array {
  return encode(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
}

export const derNull: Uint8Array = Uint8Array.of(TAG.null, 0);

/** A non-negative INTEGER, from a number or from big-endian bytes. */
export function integer(value: number | Uint8Array): Uint8Array {
  const bytes = typeof value === "number" ? bytesOf(value) : value;
  const start = bytes.findIndex((byte) => byte !== 0);
  const trimmed = start < 0 ? Uint8Array.of(0) : bytes.subarray(start);
  const signed = ((trimmed[0] ?? 0) & 0x80) === 0 ? [] : [0];
  return encode(TAG.integer, Uint8Array.from(signed), trimmed);
}

export function utf8String(text: string): Uint8Array {
  return encode(TAG.utf8String, Buffer.from(text, "utf8"));
}

export function printableString(text: string): Uint8Array {
  return encode(TAG.printableString, Buffer.from(text, "latin1"));
}

export function ia5String(text: string): Uint8Array {
  return encode(TAG.ia5String, Buffer.from(text, "latin1"));
}

/** RFC 5280 4.1.2.5: UTCTime to the end of 2049, GeneralizedTime after; whole seconds. */
export function time(date: Date): Uint8Array {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return date.getUTCFullYear() < 2050 && date.getUTCFullYear() >= 1950
    ? encode(TAG.utcTime, Buffer.from(digits.slice(2), "latin1"))
    : encode(TAG.generalizedTime, Buffer.from(digits, "latin1"));
}

export function generalizedTime(date: Date): Uint8Array {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return encode(TAG.generalizedTime, Buffer.from(digits, "latin1"));
}

/** `[number]`, constructed: explicit around one value, or implicit around several. */
export function context(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return encode(0xa0 + number, ...parts);
}

/** `[number] IMPLICIT` over a primitive type. */
export function contextPrimitive(number: number, contents: Uint8Array): Uint8Array {
  return encode(0x80 + number, contents);
}

/** The same value under another identifier octet, for IMPLICIT tagging. */
export function retag(value: Uint8Array, tag: number): Uint8Array {
  const copy = Uint8Array.from(value);
  copy[0] = tag;
  return copy;
}

/** AlgorithmIdentifier ::= SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL } */
export function algorithm(dotted: string, parameters?: Uint8Array): Uint8Array {
  return sequence(oid(dotted), ...(parameters === undefined ? [] : [parameters]));
}

function bytesOf(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return Uint8Array.from(bytes);
}
