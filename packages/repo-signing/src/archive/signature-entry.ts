import { crc32 } from "node:zlib";
import { LOCAL_HEADER_SIZE } from "@sealhouse/zip-archive";
import type { ZipArchive, ZipEntry } from "@sealhouse/zip-archive";
import { SignatureError } from "../errors.ts";
import type { PackageBytes } from "../ports.ts";
import { readBytes } from "./archive.ts";

const NAME = Buffer.from(".signature.p7s", "latin1");
const UTF8_NAME = 0x0800;
const SIGNATURE_BYTES_MAX = 1024 * 1024;
const VERSION = 20;

/** The signature's entry, or undefined for an unsigned package. Throws a SignatureError NU3005. */
export function signatureEntryOf(archive: ZipArchive): ZipEntry | undefined {
  const entry = locateSignatureEntry(archive);
  if (!entry) return undefined;
  checkFields(entry, "directory");
  if (entry.externalAttributes !== 0) {
    throw new SignatureError("NU3005", "The signature's entry has external attributes.");
  }
  return entry;
}

/**
 * The entry that every client takes for the signature, whether its fields are right or not. Throws
 * a SignatureError NU3005 where clients find none or several.
 */
export function locateSignatureEntry(archive: ZipArchive): ZipEntry | undefined {
  const [entry, ...others] = archive.entries.filter(
    (candidate) => candidate.nameSize === NAME.length && candidate.name.equals(NAME),
  );
  if (others.length > 0) throw new SignatureError("NU3005", "The package has several signatures.");
  if (entry && (entry.flags & UTF8_NAME) !== 0) {
    throw new SignatureError("NU3005", "The signature's name is marked as UTF-8.");
  }
  return entry;
}

/** The signature's bytes, after the checks every client does on both of its headers. */
export async function readSignatureEntry(file: PackageBytes, entry: ZipEntry): Promise<Buffer> {
  if (entry.uncompressedSize > SIGNATURE_BYTES_MAX) {
    throw new SignatureError("NU3005", "The signature is larger than 1 MiB.");
  }
  const size = Math.min(
    entry.end - entry.start,
    LOCAL_HEADER_SIZE + 0x1_0000 + SIGNATURE_BYTES_MAX,
  );
  const local = await readBytes(file, entry.start, size);
  const nameEnd = LOCAL_HEADER_SIZE + local.readUInt16LE(26);
  if (
    local.readUInt32LE(0) !== 0x04034b50 ||
    !local.subarray(LOCAL_HEADER_SIZE, nameEnd).equals(NAME)
  ) {
    throw new SignatureError("NU3005", "The signature's entry has no local header.");
  }
  checkFields(
    {
      flags: local.readUInt16LE(6),
      method: local.readUInt16LE(8),
      compressedSize: local.readUInt32LE(18),
      uncompressedSize: local.readUInt32LE(22),
    },
    "local",
  );
  const start = nameEnd + local.readUInt16LE(28);
  const bytes = local.subarray(start, start + local.readUInt32LE(22));
  if (bytes.length !== entry.uncompressedSize) {
    throw new SignatureError("NU3005", "The signature's two headers do not agree.");
  }
  return bytes;
}

/** The bytes of a signature in the archive: its entry and its central header. */
export function writeSignatureEntry(
  signature: Uint8Array,
  place: { readonly offset: number; readonly time: Date },
): { readonly local: Buffer; readonly header: Buffer } {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt32LE(dosTime(place.time), 6);
  fields.writeUInt32LE(crc32(signature), 10);
  fields.writeUInt32LE(signature.length, 14);
  fields.writeUInt32LE(signature.length, 18);
  fields.writeUInt16LE(NAME.length, 22);
  // After the shared fields: comment, disk, internal and external attributes (all 0), offset.
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(place.offset, 10);
  return {
    local: Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), fields, NAME, signature]),
    header: Buffer.concat([
      Buffer.from("PK\u0001\u0002", "latin1"),
      Uint8Array.of(VERSION, 0),
      fields,
      rest,
      NAME,
    ]),
  };
}

function checkFields(
  fields: Pick<ZipEntry, "flags" | "method" | "compressedSize" | "uncompressedSize">,
  header: "directory" | "local",
): void {
  const wrong =
    fields.flags !== 0
      ? "general purpose flags"
      : fields.method !== 0
        ? "a compression method"
        : fields.compressedSize !== fields.uncompressedSize
          ? "two different sizes"
          : undefined;
  if (wrong === undefined) return;
  throw new SignatureError("NU3005", `The signature's ${header} header has ${wrong}.`);
}

/** MS-DOS date and time in UTC, in steps of two seconds; 1980 to 2107. */
function dosTime(time: Date): number {
  const year = Math.min(127, Math.max(0, time.getUTCFullYear() - 1980));
  const date = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock =
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
