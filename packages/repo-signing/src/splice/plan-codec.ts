import { SigningError } from "../errors.ts";
import type { SplicePiece, SplicePlan } from "./splice-plan.ts";

/**
 * The stored form, version 1. Numbers are LEB128 varints:
 *   "SHSP" version sourceSize pieceCount { 0 start length | 1 length bytes }*
 */
const MARK = Buffer.from("SHSP\u0001", "latin1");
const PIECES_MAX = 140_000;
const BYTES_MAX = 32 * 1024 * 1024;

/** Encodes a splice plan as bytes; `decodePlan` reads them. */
export function encodePlan(plan: SplicePlan): Uint8Array {
  const parts: Uint8Array[] = [MARK, varint(plan.sourceSize), varint(plan.pieces.length)];
  for (const piece of plan.pieces) {
    if (piece.kind === "range") {
      parts.push(varint(0), varint(piece.start), varint(piece.end - piece.start));
    } else parts.push(varint(1), varint(piece.bytes.length), piece.bytes);
  }
  return Buffer.concat(parts);
}

/** Reads a stored plan. Throws a SigningError `splice-plan` when it is not one. */
export function decodePlan(bytes: Uint8Array): SplicePlan {
  if (bytes.length > BYTES_MAX) throw unreadable("it is too large");
  if (!MARK.equals(bytes.subarray(0, MARK.length))) throw unreadable("it has another version");
  const reader = { bytes, offset: MARK.length };
  const sourceSize = readVarint(reader);
  const count = readVarint(reader);
  if (count > PIECES_MAX) throw unreadable("it has too many pieces");
  const pieces: SplicePiece[] = [];
  while (pieces.length < count) pieces.push(readPiece(reader, sourceSize));
  if (reader.offset !== bytes.length) throw unreadable("it has surplus bytes");
  return { sourceSize, pieces };
}

type Reader = { readonly bytes: Uint8Array; offset: number };

function readPiece(reader: Reader, sourceSize: number): SplicePiece {
  const kind = readVarint(reader);
  if (kind === 0) {
    const start = readVarint(reader);
    const end = start + readVarint(reader);
    if (end <= start || end > sourceSize) throw unreadable("a range is outside the file");
    return { kind: "range", start, end };
  }
  if (kind !== 1) throw unreadable("a piece is of an unknown kind");
  const length = readVarint(reader);
  const bytes = reader.bytes.subarray(reader.offset, reader.offset + length);
  if (length === 0 || bytes.length !== length) throw unreadable("it is cut off");
  reader.offset += length;
  return { kind: "inline", bytes };
}

function varint(value: number): Uint8Array {
  const octets: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) octets.push((left % 0x80) + 0x80);
  octets.push(left);
  return Uint8Array.from(octets);
}

function readVarint(reader: Reader): number {
  let value = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const octet = reader.bytes[reader.offset++];
    if (octet === undefined) throw unreadable("it is cut off");
    value += (octet & 0x7f) * scale;
    if (!Number.isSafeInteger(value)) throw unreadable("a number is too large");
    if (octet < 0x80) return value;
  }
}

function unreadable(why: string): SigningError {
  return new SigningError("splice-plan", `The stored splice plan cannot be read: ${why}.`);
}
