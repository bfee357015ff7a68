import { createHash } from "node:crypto";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Sealer } from "@sealhouse/repo-signing";
import { openSealed, packageBytesOf, readArchive } from "@sealhouse/repo-signing";

type ArchiveEntry = Awaited<ReturnType<typeof readArchive>>["entries"][number];

const STORED = 0;
const DEFLATED = 8;
const LOCAL_HEADER_BYTES = 30;

/**
 * Simple signing of a package: unpack it into memory, pack it again, hash that, and add the
 * signature. The peer of the splice. The same code makes the signature, so only the handling of the
 * archive differs.
 */
export async function signByRezipping(
  bytes: Buffer,
  sealer: Pick<Sealer, "seal">,
): Promise<Buffer> {
  const { entries } = await readArchive(packageBytesOf(bytes));
  const packed = zip(entries.map((entry) => ({ name: entry.name, data: contentOf(bytes, entry) })));
  const sha256 = createHash("sha256").update(packed).digest("hex");
  const file = { ...packageBytesOf(packed), sha256 };
  const outcome = await sealer.seal(file, { id: "Bench.Signing", version: "1.0.0" });
  if (outcome.status !== "sealed") throw new Error(`the package was ${outcome.status}`);
  return Buffer.concat(await Array.fromAsync(openSealed(file, outcome.seal).read()));
}

function contentOf(bytes: Buffer, entry: ArchiveEntry): Buffer {
  const names = bytes.readUInt16LE(entry.start + 26) + bytes.readUInt16LE(entry.start + 28);
  const start = entry.start + LOCAL_HEADER_BYTES + names;
  const raw = bytes.subarray(start, start + entry.compressedSize);
  return entry.method === STORED ? raw : inflateRawSync(raw);
}

function zip(files: readonly { readonly name: Buffer; readonly data: Buffer }[]): Buffer {
  const locals: Buffer[] = [];
  const headers: Buffer[] = [];
  let offset = 0;
  for (const { name, data } of files) {
    const body = deflateRawSync(data);
    const local = Buffer.alloc(LOCAL_HEADER_BYTES);
    local.write("PK\u0003\u0004", "latin1");
    writeFields(local, 4, { name, data, body });
    const header = Buffer.alloc(46);
    header.write("PK\u0001\u0002", "latin1");
    header.writeUInt16LE(20, 4);
    writeFields(header, 6, { name, data, body });
    header.writeUInt32LE(offset, 42);
    locals.push(local, name, body);
    headers.push(header, name);
    offset += local.length + name.length + body.length;
  }
  const directory = Buffer.concat(headers);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The fields that local and central headers share, in their order. */
function writeFields(
  header: Buffer,
  offset: number,
  { name, data, body }: { readonly name: Buffer; readonly data: Buffer; readonly body: Buffer },
): void {
  header.writeUInt16LE(20, offset);
  header.writeUInt16LE(DEFLATED, offset + 4);
  header.writeUInt32LE(crc32(data), offset + 10);
  header.writeUInt32LE(body.length, offset + 14);
  header.writeUInt32LE(data.length, offset + 18);
  header.writeUInt16LE(name.length, offset + 22);
}
