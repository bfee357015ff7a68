import type { Archive, ArchiveEntry } from "../archive/archive.ts";
import { ENTRIES_MAX, refusePrefix } from "../archive/archive.ts";
import {
  locateSignatureEntry,
  signatureEntryOf,
  writeSignatureEntry,
} from "../archive/signature-entry.ts";
import { ArchiveError, SignatureError } from "../errors.ts";
import type { SplicePiece, SplicePlan } from "./splice-plan.ts";
import { mergePieces } from "./splice-plan.ts";

const ZIP_SIZE_MAX = 0xffff_fffe;
const HEADER_OFFSET_FIELD = 42;

/** The unsigned package with a signature as its last entry. Nothing else changes. */
export function planInsert(archive: Archive, signature: Uint8Array, time: Date): SplicePlan {
  if (signatureEntryOf(archive)) {
    throw new SignatureError("NU3005", "The package has a signature already.");
  }
  refusePrefix(archive);
  return assemble(archive, undefined, { signature, time });
}

/** The signed package with another signature in place of the one it has. */
export function planReplace(archive: Archive, signature: Uint8Array, time: Date): SplicePlan {
  refusePrefix(archive);
  return assemble(archive, existingEntry(archive), { signature, time });
}

/** The package without its signature, as it was before it was signed. */
export function planRemove(archive: Archive): SplicePlan {
  refusePrefix(archive);
  return assemble(archive, existingEntry(archive), undefined);
}

/**
 * The bytes that a signature is about, as every client puts them together. They are the package
 * without its signature, unless something stands before its first entry: then they are nothing
 * that anybody signed. A signature whose entry is written wrong is left out, too.
 */
export function planHashed(archive: Archive): SplicePlan {
  return assemble(archive, locateSignatureEntry(archive), undefined);
}

function existingEntry(archive: Archive): ArchiveEntry {
  const entry = signatureEntryOf(archive);
  if (!entry) throw new SignatureError("NU3005", "The package has no signature.");
  return entry;
}

/**
 * Keeps every entry in the order of its bytes and every central header in its order, corrects the
 * offsets of entries that move, and rewrites the counts and sizes of the end record.
 */
function assemble(
  archive: Archive,
  dropped: ArchiveEntry | undefined,
  added: { readonly signature: Uint8Array; readonly time: Date } | undefined,
): SplicePlan {
  const kept = archive.entries.filter((entry) => entry !== dropped);
  const moved = new Map<ArchiveEntry, number>();
  const prefixEnd = archive.entries.reduce((low, one) => Math.min(low, one.start), Infinity);
  const pieces: SplicePiece[] = [{ kind: "range", start: 0, end: prefixEnd }];
  let offset = 0;
  for (const entry of kept.toSorted((left, right) => left.start - right.start)) {
    moved.set(entry, offset);
    pieces.push({ kind: "range", start: entry.start, end: entry.end });
    offset += entry.end - entry.start;
  }
  const entry = added && writeSignatureEntry(added.signature, { offset, time: added.time });
  if (entry) pieces.push({ kind: "inline", bytes: entry.local });
  for (const one of kept) pieces.push(headerPiece(one, moved.get(one) ?? 0));
  if (entry) pieces.push({ kind: "inline", bytes: entry.header });
  const droppedHeader = dropped?.header.length ?? 0;
  const directory = archive.endRecordStart - archive.directoryStart;
  pieces.push({
    kind: "inline",
    bytes: endRecord(archive, {
      entries: kept.length + (entry ? 1 : 0),
      size: directory - droppedHeader + (entry?.header.length ?? 0),
      start: prefixEnd + offset + (entry?.local.length ?? 0),
    }),
  });
  const comment = archive.endRecordStart + archive.endRecord.length;
  pieces.push({ kind: "range", start: comment, end: archive.size });
  return { sourceSize: archive.size, pieces: mergePieces(pieces) };
}

function headerPiece(entry: ArchiveEntry, start: number): SplicePiece {
  const { headerStart, header } = entry;
  if (start === entry.start) {
    return { kind: "range", start: headerStart, end: headerStart + header.length };
  }
  const patched = Buffer.from(header);
  patched.writeUInt32LE(start, HEADER_OFFSET_FIELD);
  return { kind: "inline", bytes: patched };
}

function endRecord(
  archive: Archive,
  directory: { readonly entries: number; readonly size: number; readonly start: number },
): Buffer {
  if (directory.entries > ENTRIES_MAX) {
    throw new ArchiveError("no-room", "The archive has no room for a signature.", "NU3039");
  }
  if (directory.start + directory.size > ZIP_SIZE_MAX) {
    throw new ArchiveError("no-room", "The archive is too large to be signed.", "NU3006");
  }
  const record = Buffer.from(archive.endRecord);
  record.writeUInt16LE(directory.entries, 8);
  record.writeUInt16LE(directory.entries, 10);
  record.writeUInt32LE(directory.size, 12);
  record.writeUInt32LE(directory.start, 16);
  return record;
}
