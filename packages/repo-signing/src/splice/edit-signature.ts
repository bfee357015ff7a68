import { ENTRIES_MAX } from "@sealhouse/zip-archive";
import type { ZipArchive, ZipEntry } from "@sealhouse/zip-archive";
import { refusePrefix } from "../archive/archive.ts";
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
export function planInsert(archive: ZipArchive, signature: Uint8Array, time: Date): SplicePlan {
  if (signatureEntryOf(archive)) {
    throw new SignatureError("NU3005", "The package has a signature already.");
  }
  refusePrefix(archive);
  return assemble(archive, undefined, { signature, time });
}

/** The signed package with another signature in place of the one it has. */
export function planReplace(archive: ZipArchive, signature: Uint8Array, time: Date): SplicePlan {
  refusePrefix(archive);
  return assemble(archive, existingEntry(archive), { signature, time });
}

/** The package without its signature, equal to the file before signing. */
export function planRemove(archive: ZipArchive): SplicePlan {
  refusePrefix(archive);
  return assemble(archive, existingEntry(archive), undefined);
}

/**
 * The signed bytes, as every client computes them. They equal the package without its signature,
 * unless there are bytes before its first entry: such bytes were never signed. A signature with a
 * malformed entry is removed as well.
 */
export function planHashed(archive: ZipArchive): SplicePlan {
  return assemble(archive, locateSignatureEntry(archive), undefined);
}

function existingEntry(archive: ZipArchive): ZipEntry {
  const entry = signatureEntryOf(archive);
  if (!entry) throw new SignatureError("NU3005", "The package has no signature.");
  return entry;
}

/**
 * Keeps every entry where its bytes are and every central header in its order, corrects the offsets
 * of entries that move, and rewrites the counts and sizes of the end record.
 */
function assemble(
  archive: ZipArchive,
  dropped: ZipEntry | undefined,
  added: { readonly signature: Uint8Array; readonly time: Date } | undefined,
): SplicePlan {
  const { entries, directoryStart, endRecordStart } = archive;
  const prefixEnd = entries.reduce((low, entry) => Math.min(low, entry.start), Infinity);
  const hole = dropped ?? { start: directoryStart, end: directoryStart };
  const offset = directoryStart - prefixEnd - (hole.end - hole.start);
  const entry = added && writeSignatureEntry(added.signature, { offset, time: added.time });
  const pieces: SplicePiece[] = [
    { kind: "range", start: 0, end: hole.start },
    { kind: "range", start: hole.end, end: directoryStart },
    ...(entry ? [inline(entry.local)] : []),
    ...headerPieces(archive, dropped, prefixEnd),
    ...(entry ? [inline(entry.header)] : []),
  ];
  const directory = {
    entries: entries.length - (dropped ? 1 : 0) + (entry ? 1 : 0),
    size:
      endRecordStart - directoryStart - (dropped?.headerSize ?? 0) + (entry?.header.length ?? 0),
    start: prefixEnd + offset + (entry?.local.length ?? 0),
  };
  pieces.push(inline(endRecord(archive, directory)));
  const comment = endRecordStart + archive.endRecord.length;
  pieces.push({ kind: "range", start: comment, end: archive.size });
  return { sourceSize: archive.size, pieces: mergePieces(pieces) };
}

/**
 * The remaining central headers. Entries are contiguous, so those after a removed one move up by
 * its size, and all of them by the size of the bytes before the first.
 */
function headerPieces(
  { entries, directoryStart, endRecordStart }: ZipArchive,
  dropped: ZipEntry | undefined,
  prefixEnd: number,
): readonly SplicePiece[] {
  const isLast = dropped === undefined || entries.every((entry) => entry.start <= dropped.start);
  if (prefixEnd === 0 && isLast) {
    const { headerStart, headerSize } = dropped ?? { headerStart: endRecordStart, headerSize: 0 };
    return [
      { kind: "range", start: directoryStart, end: headerStart },
      { kind: "range", start: headerStart + headerSize, end: endRecordStart },
    ];
  }
  const moved = (entry: ZipEntry): number => {
    const isBehind = dropped !== undefined && entry.start > dropped.start;
    return entry.start - prefixEnd - (isBehind ? dropped.end - dropped.start : 0);
  };
  const keptEntries = entries.filter((entry) => entry !== dropped);
  return keptEntries.map((entry) => headerPiece(entry, moved(entry)));
}

function headerPiece(entry: ZipEntry, start: number): SplicePiece {
  const { headerStart, headerSize } = entry;
  if (start === entry.start) {
    return { kind: "range", start: headerStart, end: headerStart + headerSize };
  }
  const patched = Buffer.from(entry.header);
  patched.writeUInt32LE(start, HEADER_OFFSET_FIELD);
  return inline(patched);
}

function inline(bytes: Uint8Array): SplicePiece {
  return { kind: "inline", bytes };
}

function endRecord(
  archive: ZipArchive,
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
