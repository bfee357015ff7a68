import { crc32, deflateRawSync } from "node:zlib";

export type TestEntry = {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly stored?: boolean;
  /** Sizes and checksum follow the data, as streaming writers do it. */
  readonly dataDescriptor?: boolean;
  readonly flags?: number;
  /** Extra field of both headers. */
  readonly extra?: Uint8Array;
};

/** Ways in which an archive can be odd. */
export type ArchiveOddities = {
  readonly comment?: string;
  /** Bytes before the first entry; offsets count them. */
  readonly prefix?: Uint8Array;
  /** Bytes between the directory and the end record. */
  readonly gap?: Uint8Array;
  readonly zip64Locator?: boolean;
};

/** A zip archive, byte for byte the same for the same input. */
export function buildTestArchive(entries: readonly TestEntry[], odd: ArchiveOddities = {}): Buffer {
  const locals: Buffer[] = odd.prefix ? [Buffer.from(odd.prefix)] : [];
  const headers: Buffer[] = [];
  let offset = odd.prefix?.length ?? 0;
  for (const entry of entries) {
    const { local, header } = writeEntry(entry, offset);
    locals.push(local);
    headers.push(header);
    offset += local.length;
  }
  const directory = Buffer.concat(headers);
  const gap = Buffer.concat([
    odd.gap ?? new Uint8Array(),
    ...(odd.zip64Locator === true
      ? [Buffer.from("PK\u0006\u0007", "latin1"), Buffer.alloc(16)]
      : []),
  ]);
  // The locator is where a reader looks for it; the directory's size reaches up to it.
  const size = directory.length + (odd.zip64Locator === true ? gap.length : 0);
  const comment = Buffer.from(odd.comment ?? "", "utf8");
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, directory, gap, end, comment]);
}

function writeEntry(
  entry: TestEntry,
  offset: number,
): { readonly local: Buffer; readonly header: Buffer } {
  const data = Buffer.from(entry.data);
  const body = entry.stored === true ? data : deflateRawSync(data);
  const name = Buffer.from(entry.name, "utf8");
  const extra = entry.extra ?? new Uint8Array();
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE((entry.flags ?? 0) | (entry.dataDescriptor === true ? 8 : 0), 2);
  fields.writeUInt16LE(entry.stored === true ? 0 : 8, 4);
  // 1 January 2025
  fields.writeUInt16LE((45 << 9) | (1 << 5) | 1, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(body.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(name.length, 22);
  fields.writeUInt16LE(extra.length, 24);
  const localFields = Buffer.from(fields);
  if (entry.dataDescriptor === true) localFields.fill(0, 10, 22);
  const descriptor =
    entry.dataDescriptor === true
      ? [Buffer.from("PK\u0007\u0008", "latin1"), fields.subarray(10, 22)]
      : [];
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([
      Buffer.from("PK\u0003\u0004", "latin1"),
      localFields,
      name,
      extra,
      body,
      ...descriptor,
    ]),
    header: Buffer.concat([
      Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"),
      fields,
      rest,
      name,
      extra,
    ]),
  };
}
