import type { ByteSource } from "@sealhouse/http-responses";
import { LOCAL_HEADER_SIZE, readRange } from "@sealhouse/zip-archive";
import { withArchiveErrors } from "./archive-error.ts";
import type { ArchiveEntry } from "./central-directory.ts";

/** The offset of an entry's compressed bytes. */
export async function contentStart(
  source: ByteSource,
  { offset }: Pick<ArchiveEntry, "offset">,
): Promise<number> {
  const header = await withArchiveErrors(readRange(source, offset, LOCAL_HEADER_SIZE));
  return offset + LOCAL_HEADER_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28);
}
