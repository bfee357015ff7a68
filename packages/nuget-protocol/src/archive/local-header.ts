import type { ByteSource } from "@sealhouse/http-responses";
import type { ArchiveEntry } from "./central-directory.ts";
import { readRange } from "./central-directory.ts";

/** Bytes of the header before a file, without the name and the extra field that end it. */
export const LOCAL_HEADER_SIZE = 30;

/** Where the packed bytes of an entry start. The header must lie inside the source. */
export async function contentStart(
  source: ByteSource,
  { offset }: Pick<ArchiveEntry, "offset">,
): Promise<number> {
  const header = await readRange(source, offset, LOCAL_HEADER_SIZE);
  return offset + LOCAL_HEADER_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28);
}
