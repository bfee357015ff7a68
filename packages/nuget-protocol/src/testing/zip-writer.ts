import { crc32, deflateRawSync } from "node:zlib";

/** One file of a test archive. Whatever is not given is right. */
export type ZipEntry = {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly method?: "store" | "deflate";
  readonly flags?: number;
  /** Wrong values of the headers. */
  readonly claimed?: {
    readonly crc32?: number;
    readonly size?: number;
    readonly compressedSize?: number;
    readonly method?: number;
    readonly offset?: number;
  };
  readonly localName?: string;
  readonly extra?: Uint8Array;
  readonly localExtra?: Uint8Array;
  readonly externalAttributes?: number;
  readonly hasDescriptor?: boolean;
};

/** Defects of the whole archive. */
export type ZipFaults = {
  readonly prefix?: Uint8Array;
  /** Bytes between the last file and the directory. */
  readonly beforeDirectory?: Uint8Array;
  /** Bytes between the directory and the end record. */
  readonly gap?: Uint8Array;
  readonly comment?: string;
  readonly entryCount?: number;
  readonly disk?: number;
  readonly hasZip64Locator?: boolean;
  /** Bytes after the end record. */
  readonly suffix?: Uint8Array;
};

type Written = { readonly local: Buffer; readonly central: Buffer };

const UTF8_FLAG = 1 << 11;
const DESCRIPTOR_FLAG = 1 << 3;

/** Writes a zip archive byte by byte, so that every field can be wrong on purpose. */
export function buildZip(entries: readonly ZipEntry[], faults: ZipFaults = {}): Uint8Array {
  const prefix = Buffer.from(faults.prefix ?? []);
  const locals: Buffer[] = [prefix];
  const centrals: Buffer[] = [];
  let offset = prefix.length;
  for (const entry of entries) {
    const { local, central } = write(entry, offset);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const hidden = Buffer.from(faults.beforeDirectory ?? []);
  locals.push(hidden);
  offset += hidden.length;
  const directory = Buffer.concat(centrals);
  const locator = faults.hasZip64Locator === true ? zip64Locator(offset) : Buffer.alloc(0);
  const gap = Buffer.from(faults.gap ?? []);
  const end = endRecord({ count: entries.length, size: directory.length, offset }, faults);
  const suffix = Buffer.from(faults.suffix ?? []);
  return Uint8Array.from(Buffer.concat([...locals, directory, gap, locator, end, suffix]));
}

function write(entry: ZipEntry, offset: number): Written {
  const data = Buffer.from(entry.data);
  const isDeflated = entry.method !== "store";
  const packed = isDeflated ? deflateRawSync(data) : data;
  const name = Buffer.from(entry.name);
  const isAscii = name.length === entry.name.length;
  const descriptorFlag = entry.hasDescriptor === true ? DESCRIPTOR_FLAG : 0;
  const flags = entry.flags ?? (isAscii ? 0 : UTF8_FLAG) | descriptorFlag;
  const claims = {
    crc32: crc32(data),
    size: data.length,
    compressedSize: packed.length,
    method: isDeflated ? 8 : 0,
    offset,
    ...entry.claimed,
  };
  const isLate = entry.hasDescriptor === true;
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(claims.method, 4);
  // 2026-01-02 in DOS form; the time stays midnight, so that the same input gives the same bytes.
  fields.writeUInt16LE(((2026 - 1980) << 9) | (1 << 5) | 2, 8);
  fields.writeUInt32LE(claims.crc32, 10);
  fields.writeUInt32LE(claims.compressedSize, 14);
  fields.writeUInt32LE(claims.size, 18);
  const localFields = Buffer.from(fields);
  if (isLate) localFields.fill(0, 10, 22);
  const localName = Buffer.from(entry.localName ?? entry.name);
  const localExtra = Buffer.from(entry.localExtra ?? []);
  const descriptor = isLate
    ? Buffer.concat([uint32(0x08074b50), fields.subarray(10, 22)])
    : Buffer.alloc(0);
  const extra = Buffer.from(entry.extra ?? []);
  return {
    local: Buffer.concat([
      uint32(0x04034b50),
      localFields,
      uint16(localName.length),
      uint16(localExtra.length),
      localName,
      localExtra,
      packed,
      descriptor,
    ]),
    central: Buffer.concat([
      uint32(0x02014b50),
      uint16(20),
      fields,
      uint16(name.length),
      uint16(extra.length),
      uint16(0),
      uint16(0),
      uint16(0),
      uint32(entry.externalAttributes ?? 0),
      uint32(claims.offset),
      name,
      extra,
    ]),
  };
}

function endRecord(
  directory: { readonly count: number; readonly size: number; readonly offset: number },
  faults: ZipFaults,
): Buffer {
  const comment = Buffer.from(faults.comment ?? "");
  const count = faults.entryCount ?? directory.count;
  return Buffer.concat([
    uint32(0x06054b50),
    uint16(faults.disk ?? 0),
    uint16(faults.disk ?? 0),
    uint16(count),
    uint16(count),
    uint32(directory.size),
    uint32(directory.offset),
    uint16(comment.length),
    comment,
  ]);
}

function zip64Locator(offset: number): Buffer {
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset), 8);
  locator.writeUInt32LE(1, 16);
  return locator;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
