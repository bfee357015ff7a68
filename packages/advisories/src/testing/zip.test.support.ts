import { buffer } from "node:stream/consumers";
import { ZipArchive } from "archiver";

export type ZipFile = { readonly name: string; readonly data: string | Buffer };

export async function zipOf(
  files: readonly ZipFile[],
  { isStored = false }: { readonly isStored?: boolean } = {},
): Promise<Buffer> {
  const archive = new ZipArchive({ store: isStored });
  for (const { name, data } of files) archive.append(data, { name });
  const [bytes] = await Promise.all([buffer(archive), archive.finalize()]);
  return bytes;
}
