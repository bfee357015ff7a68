import type { IncomingMessage, ServerResponse } from "node:http";
import { writeBytesAtHand } from "@sealhouse/http-responses";
import type { NpmLookup, TarballAddress } from "@sealhouse/npm-protocol";
import { isDownload, tarballOptions } from "@sealhouse/npm-protocol";
import type { BlobMemory } from "@sealhouse/storage-providers";

/** Answers with a tarball, or with false where somebody else must. */
export type WriteTarball = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  tarball: TarballAddress,
) => Promise<boolean>;

export type TarballsAtHandOptions = {
  readonly lookup: Pick<NpmLookup, "tarball">;
  readonly memory: BlobMemory;
  readonly anonymousRead: boolean;
  readonly count: (tarball: TarballAddress) => void;
};

/** Up to this size a tarball is read whole before its head is written. */
const SMALL_BYTES = 128 * 1024;

/** The shortcut for tarballs that are in memory, or small enough to get there with one read. */
export function createTarballsAtHand(options: TarballsAtHandOptions): WriteTarball {
  const { lookup, memory, anonymousRead, count } = options;
  return async (incoming, outgoing, tarball) => {
    const blob = await lookup.tarball(tarball.name, tarball.version);
    if (!blob || blob.isDamaged) return false;
    const bytes = memory.recall(blob.key) ?? (await readSmall(memory, blob));
    if (bytes?.length !== blob.size) return false;
    const { method, headers } = incoming;
    const request = { method, range: headers.range, ifNoneMatch: headers["if-none-match"] };
    writeBytesAtHand(incoming, outgoing, bytes, tarballOptions(blob.sha256, anonymousRead));
    if (isDownload(request, blob.sha256)) count(tarball);
    return true;
  };
}

/** Undefined for a blob that is not small. */
export async function readSmall(
  memory: BlobMemory,
  blob: { readonly key: string; readonly size: number },
): Promise<Uint8Array | undefined> {
  if (blob.size > SMALL_BYTES) return undefined;
  const [first = new Uint8Array(), ...others] = await Array.fromAsync(memory.read(blob));
  return others.length === 0 ? first : Buffer.concat([first, ...others]);
}
