import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { downloadCountsJob, openDatabase, openDownloadCounts } from "@sealhouse/database";
import type { NpmPorts } from "@sealhouse/npm-protocol";
import type { NuGetPorts } from "@sealhouse/nuget-protocol";
import type { OciPorts } from "@sealhouse/oci-distribution";
import type { Protocol } from "@sealhouse/request-types";
import { createBlobStore, withLossDetection } from "@sealhouse/storage-providers";
import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import { openAccess } from "./access.ts";
import type { FeedAccess } from "./access.ts";
import { createHashableFiles } from "./hashable-files.ts";
import { npmPorts } from "./npm-ports.ts";
import { nugetPorts } from "./nuget-ports.ts";
import { ociPorts } from "./oci-ports.ts";
import type { FeedParts } from "./feed-parts.ts";
import { sweepJob } from "./sweep-job.ts";
import { openUpkeep } from "./upkeep.ts";

/** Where a feed keeps its data, and who may use it. */
export type FeedOptions = {
  /** The folder of the database, the files and the token. Created when it is missing. One process
   * at a time may open it. */
  readonly folder: string;
  /** Default `token`. */
  readonly access?: FeedAccess;
  /** The URL under which clients reach the server, without the path of an app: necessary behind a
   * proxy that is not in `trustedProxies`. Default: the URL of each request. */
  readonly publicUrl?: string;
  /** Addresses or networks (CIDR) of proxies whose `X-Forwarded-*` headers count. Default: none. */
  readonly trustedProxies?: readonly string[];
  /**
   * Receives errors of background work, which is retried. Must not throw. Default:
   * `process.emitWarning`.
   */
  readonly onError?: (error: unknown) => void;
};

/** A feed in one folder. Its methods return the ports of the protocol apps; `path` is where a
 * parent app mounts the app (default: the root). */
export type Feed = AsyncDisposable & {
  /** The token that publishes; undefined for an open feed. It is in the file `token`, too. */
  readonly token: string | undefined;
  /** Whether anonymous clients may read: the option `anonymousRead` of `createNpmApp`. */
  readonly anonymousRead: boolean;
  nuget(path?: string): NuGetPorts;
  npm(path?: string): NpmPorts;
  oci(): OciPorts;
};

/** Blobs up to this size are rows of the database: a row costs less than a file. */
const SMALL_BLOB_BYTES = 16 * 1024;
const OWNER_ONLY = 0o700;

/**
 * Opens a feed with SQLite and files in a folder, access rules, and background jobs. Disposal waits
 * for the jobs and closes the database.
 */
export async function openFeed(options: FeedOptions): Promise<Feed> {
  const { folder, access = "token", publicUrl, trustedProxies = [] } = options;
  const { onError = warn } = options;
  await using opened = new AsyncDisposableStack();
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const store = opened.use(await openFilesystemStore({ root: join(folder, "files") }));
  const database = opened.use(
    await openDatabase({ type: "Sqlite", path: join(folder, "feed.db") }),
  );
  const small = { bytesMax: SMALL_BLOB_BYTES, ...database.smallBlobs };
  const blobsOf = (protocol: Protocol) =>
    withLossDetection({
      blobs: createBlobStore(store, {
        prefix: protocol,
        ...(protocol !== "nuget" && { small }),
      }),
      store,
      register: database.blobRegister(protocol),
      onLost: (key) => onError(new Error(`the file of ${key} is missing`)),
    });
  const blobs = { nuget: blobsOf("nuget"), npm: blobsOf("npm"), oci: blobsOf("oci") };
  const allowed = opened.use(
    await openAccess({ folder, access, publicUrl, trustedProxies, database, onError }),
  );
  const downloads = opened.use(
    openDownloadCounts({ write: (counts) => database.downloads.add(counts), onError }),
  );
  const parts: FeedParts = { access, allowed, database, blobs, store, downloads, onError };
  opened.use(openBackgroundWork(parts));
  const owned = opened.move();
  return {
    token: allowed.token,
    anonymousRead: allowed.rules.anonymousPull,
    nuget: (path = "") => nugetPorts(parts, path),
    npm: (path = "") => npmPorts(parts, path),
    oci: () => ociPorts(parts),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function openBackgroundWork(parts: FeedParts): AsyncDisposable {
  const { database, store, blobs, downloads, onError } = parts;
  const now = () => new Date();
  const log = { info: () => undefined };
  const sweep = sweepJob({ database, store, ociUploads: blobs.oci.uploads, log, now });
  return openUpkeep({
    database,
    hashable: createHashableFiles(blobs.nuget),
    signingEnabled: false,
    jobs: [downloadCountsJob(downloads), sweep],
    now,
    onDeliveryFailure: ({ error }) => onError(error),
    onJobFailure: ({ error }) => onError(error),
  });
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
