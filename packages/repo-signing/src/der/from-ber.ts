import { encode } from "./writer.ts";
import { DerError, TAG } from "./reader.ts";

const DEPTH_MAX = 32;
const VALUES_MAX = 10_000;
const CONSTRUCTED = 0x20;

/**
 * The same value in DER where it was written in BER: lengths become definite and minimal, octet
 * strings in pieces become one. Some PKCS#12 writers do both. Primitive contents stay as they are.
 *
 * @throws DerError when it is no BER, nests deeper than 32, or holds more than 10,000 values
 */
export function derFromBer(ber: Uint8Array): Uint8Array {
  const reader: Reader = { bytes: ber, at: 0, values: 0 };
  const value = readValue(reader, 0);
  if (reader.at !== ber.length) throw new DerError("there are bytes after the value");
  return value;
}

type Reader = { readonly bytes: Uint8Array; at: number; values: number };

function readValue(reader: Reader, depth: number): Uint8Array {
  const { bytes } = reader;
  if (depth > DEPTH_MAX) throw new DerError("the values are nested too deeply");
  reader.values += 1;
  if (reader.values > VALUES_MAX) throw new DerError("there are too many values");
  const tag = octet(reader);
  if ((tag & 0x1f) === 0x1f) throw new DerError("a high tag number is not allowed");
  const length = lengthAt(reader);
  const end = length === undefined ? bytes.length : reader.at + length;
  if (end > bytes.length) throw new DerError("the value is cut off");
  if ((tag & CONSTRUCTED) === 0) {
    if (length === undefined) throw new DerError("a primitive value has no length");
    const body = bytes.subarray(reader.at, end);
    reader.at = end;
    return encode(tag, body);
  }
  const children: Uint8Array[] = [];
  while (length === undefined ? !isEndOfContents(reader) : reader.at < end) {
    children.push(readValue(reader, depth + 1));
    if (reader.at > end) throw new DerError("a value is longer than what it stands in");
  }
  if (length === undefined) reader.at += 2;
  return tag === (TAG.octetString | CONSTRUCTED)
    ? encode(TAG.octetString, ...children.map(octetsIn))
    : encode(tag, ...children);
}

/** Undefined for the indefinite form. */
function lengthAt(reader: Reader): number | undefined {
  const first = octet(reader);
  if (first < 0x80) return first;
  const octets = first & 0x7f;
  if (octets === 0) return undefined;
  if (octets > 6) throw new DerError("the length is too long");
  let length = 0;
  for (let index = 0; index < octets; index++) length = length * 256 + octet(reader);
  return length;
}

function isEndOfContents({ bytes, at }: Reader): boolean {
  if (at + 1 >= bytes.length) throw new DerError("the value is cut off");
  return bytes[at] === 0 && bytes[at + 1] === 0;
}

function octet(reader: Reader): number {
  const value = reader.bytes[reader.at];
  if (value === undefined) throw new DerError("the value is cut off");
  reader.at += 1;
  return value;
}

/** Of a piece that is DER by now. */
function octetsIn(piece: Uint8Array): Uint8Array {
  if (piece[0] !== TAG.octetString) throw new DerError("a piece of an octet string is none");
  const first = piece[1] ?? 0;
  return piece.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f));
}
