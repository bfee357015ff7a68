import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { bestEffortDocuments } from "@sealhouse/http-responses";
import type { DocumentStore } from "@sealhouse/http-responses";
import { createAddressedDocuments } from "@sealhouse/http-server";
import type { RequestContexts } from "@sealhouse/http-server";
import { openBundleVerification } from "@sealhouse/npm-protocol";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import { createBlobMemory } from "@sealhouse/storage-providers";
import type { BlobMemory } from "@sealhouse/storage-providers";
import { countAbsentNames, sharedDocuments } from "@sealhouse/upstream-sources";
import type { RegistryMirror } from "@sealhouse/upstream-sources";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";
import { openMirrorOf } from "./mirror.ts";
import { openMirrored } from "./mirrored.ts";
import type { Mirrored } from "./mirrored.ts";

/** The packages of this registry and of its sources, and rendered documents about them. */
export type Content = AsyncDisposable & {
  readonly mirror: RegistryMirror;
  readonly mirrored: Mirrored;
  readonly verifyBundle: VerifyBundle;
  readonly documents: DocumentStore;
  /** Documents of views as of a time. */
  readonly viewDocuments: DocumentStore;
  /** Reads npm's blobs, with a cache. */
  readonly tarballs: BlobMemory;
  /** Limits the questions of a network about absent names to sources. */
  readonly counted: ReturnType<typeof countAbsentNames>;
};

type ContentParts = {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly contexts: RequestContexts;
  readonly log: Log;
  readonly now: () => Date;
};

/** Tarballs that are read again and again stay in memory; filled only by those. */
const TARBALL_MEMORY_BYTES = 16 * 1024 * 1024;

/**
 * Opens the content of the registry.
 *
 * @throws TrustedRootError
 * @throws RefusedSourceError
 */
export async function openContent(parts: ContentParts): Promise<Content> {
  const { config, resources, contexts, log, now } = parts;
  const { database, blobs } = resources;
  await using opened = new AsyncDisposableStack();
  const { enabled, trustedRoot } = config.feed.npm;
  const verifyBundle = await openBundleVerification(enabled ? trustedRoot : undefined);
  const mirror = opened.use(await openMirrorOf({ config, resources, log, now }));
  const { ownCalls } = mirror;
  const rows = bestEffortDocuments(database.documents, log);
  const content = {
    mirror,
    mirrored: openMirrored({ config, resources, mirror, verifyBundle, log, now }),
    verifyBundle,
    documents: sharedDocuments(createAddressedDocuments(rows, contexts), ownCalls),
    viewDocuments: sharedDocuments(database.viewDocuments, ownCalls),
    tarballs: createBlobMemory(blobs.npm, { bytesMax: TARBALL_MEMORY_BYTES }),
    counted: countAbsentNames(mirror, { ...config.mirror, now }),
  };
  const owned = opened.move();
  return { ...content, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
