import type { Consumer, RegistryEvent } from "@sealhouse/events";
import { SYSTEM } from "@sealhouse/events";
import { OciError, isDigest, isRepositoryName } from "@sealhouse/oci-distribution";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import type { Log } from "../log.ts";
import { sealManifest } from "./sealing.ts";
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
  const { manifests } = parts.database.oci;
  const { attachedTo, isSealable, looksSealed } = await import("@sealhouse/oci-distribution/seal");
  const manifest = await manifests.find(repository, tag ?? digest);
  // Moved or deleted meanwhile: then another event says so.
  if (!manifest || manifest.digest !== digest) return;
  if (tag !== undefined && isSealable(manifest, tag)) {
    return seal(parts, { repository, reference: tag }, signal);
  }
  // Somebody signed an image that we signed. A client that writes all signatures of an image into
  // one place may have put its own in the place of ours; and some look at one format alone.
  const subject = byUs ? undefined : attachedTo(manifest, tag);
  if (
    subject &&
    isDigest(subject) &&
    (await looksSealed(parts.database.oci, repository, subject))
  ) {
    await seal(parts, { repository, reference: subject }, signal);
  }
}

async function seal(
  parts: SealConsumerParts,
  { repository, reference }: { readonly repository: RepositoryName; readonly reference: string },
  signal: AbortSignal,
): Promise<void> {
  const { log } = parts;
  const image = await parts.database.oci.manifests.find(repository, reference);
  if (!image) return;
  try {
    for (const { digest, made } of await sealManifest(parts, repository, image, signal)) {
      if (made.length > 0) log.info({ repository, digest, formats: made }, "sealed an image");
    }
  } catch (error) {
    // What the catalog refuses it will refuse again, and others wait behind it.
    if (!(error instanceof OciError)) throw error;
    log.warn({ repository, digest: image.digest, err: error }, "an image could not be sealed");
  }
}
