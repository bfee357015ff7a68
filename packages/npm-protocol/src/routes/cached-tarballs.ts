import type { IncomingMessage, ServerResponse } from "node:http";
import { writeBytes } from "@sealhouse/http-responses";
import type { NpmLookup } from "../ports.ts";
import { isDownload, tarballOptions } from "./tarball.ts";
import type { TarballAddress } from "./tarball.ts";

/** Answers with a tarball; false = nothing was written, the app must answer. */
export type WriteTarball = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  tarball: TarballAddress,
) => Promise<boolean>;

/** Ports of the tarball reads that a host answers before its router. */
export type CachedTarballsOptions = {
  readonly lookup: Pick<NpmLookup, "tarball">;
  /** The whole bytes of a blob that is in memory or small; undefined = neither. */
  readonly bytesOf: (blob: {
    readonly key: string;
    readonly size: number;
  }) => Promise<Uint8Array | undefined>;
  readonly anonymousRead: boolean;
  readonly count: (tarball: TarballAddress) => void;
};

/** Creates the fast path for tarballs that are in memory or small, which runs before the app. */
export function createCachedTarballs(options: CachedTarballsOptions): WriteTarball {
  const { lookup, bytesOf, anonymousRead, count } = options;
  return async (incoming, outgoing, tarball) => {
    const blob = await lookup.tarball(tarball.name, tarball.version);
    if (!blob || blob.isDamaged) return false;
    const bytes = await bytesOf(blob);
    if (bytes?.length !== blob.size) return false;
    const { method, headers } = incoming;
    const request = { method, range: headers.range, ifNoneMatch: headers["if-none-match"] };
    writeBytes(incoming, outgoing, bytes, tarballOptions(blob.sha256, anonymousRead));
    if (isDownload(request, blob.sha256)) count(tarball);
    return true;
  };
}
