import type { Consumer, RegistryEvent } from "@sealhouse/events";
import { SYSTEM } from "@sealhouse/events";
import { OciError, digestOfTag, isRepositoryName } from "@sealhouse/oci-distribution";
import type { RepositoryName, StoredManifest } from "@sealhouse/oci-distribution";
import { StorageError } from "@sealhouse/storage-providers";
import type { Log } from "../log.ts";
import { sealManifest, sealPorts } from "./sealing.ts";
import type { SealingParts } from "./sealing.ts";

export type SealConsumer = Consumer & Disposable;

export type SealConsumerParts = SealingParts & { readonly log: Log };

/**
 * Seals what is tagged, from the events of pushes: kept until it is done, and done once. What was
 * tagged before is in the events, too, so switching it on seals the tags there are. Disposal lets
 * go of what waits for another instance.
 */
export function openSealConsumer(parts: SealConsumerParts): SealConsumer {
  const stop = new AbortController();
  return {
    name: "oci-seal",
    async handle(events) {
      for (const event of events) {
        const pushed = pushedBy(event);
        if (pushed) await sealPushed(parts, pushed, stop.signal);
      }
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}

type Pushed = {
  readonly repository: RepositoryName;
  /** Undefined: by digest alone. */
  readonly tag: string | undefined;
  readonly digest: string;
  readonly byUs: boolean;
};

function pushedBy({ type, subject, detail, caller }: RegistryEvent): Pushed | undefined {
  if (type !== "package.published" || !subject.startsWith("oci/")) return undefined;
  const [, repository = "", separator, rest = ""] = /^oci\/([^:@]+)([:@])(.+)$/.exec(subject) ?? [];
  const digest = detail?.["digest"];
  if (!isRepositoryName(repository) || typeof digest !== "string") return undefined;
  const tag = separator === ":" ? rest : undefined;
  return { repository, tag, digest, byUs: caller.actor === SYSTEM.actor };
}

async function sealPushed(
  parts: SealConsumerParts,
  { repository, tag, digest, byUs }: Pushed,
  signal: AbortSignal,
): Promise<void> {
  const { manifests, tags } = parts.database.oci;
  const { attachedTo, isSealable, isSealed } = await import("@sealhouse/oci-distribution/seal");
  // Moved or deleted meanwhile: then another event says so.
  if (tag !== undefined && (await digestOfTag(tags, repository, tag)) !== digest) return;
  const manifest = await manifests.find(repository, digest);
  if (!manifest) return;
  if (tag !== undefined && isSealable(manifest, tag)) {
    await seal(parts, { repository, manifest }, signal);
    return;
  }
  // Somebody signed an image that we signed. A client that writes all signatures of an image into
  // one place may have put its own in the place of ours; and some look at one format alone.
  const subject = byUs ? undefined : attachedTo(manifest, tag);
  const image = subject && (await manifests.find(repository, subject));
  const { formats } = parts.options;
  if (image && (await isSealed(sealPorts(parts), repository, image, formats))) {
    await seal(parts, { repository, manifest: image }, signal);
  }
}

async function seal(
  parts: SealConsumerParts,
  {
    repository,
    manifest,
  }: { readonly repository: RepositoryName; readonly manifest: StoredManifest },
  signal: AbortSignal,
): Promise<void> {
  const { log } = parts;
  try {
    for (const { digest, made } of await sealManifest(parts, repository, manifest, signal)) {
      if (made.length > 0) log.info({ repository, digest, formats: made }, "sealed an image");
    }
  } catch (error) {
    if (!isLasting(error)) throw error;
    const { digest } = manifest;
    log.warn({ repository, digest, err: error }, "an image could not be sealed");
  }
}

/** What the catalog refuses it will refuse again, and bytes that are lost stay lost; others wait
 * behind it. */
function isLasting(error: unknown): boolean {
  if (error instanceof StorageError) return error.code === "storage-not-found";
  return error instanceof OciError;
}
