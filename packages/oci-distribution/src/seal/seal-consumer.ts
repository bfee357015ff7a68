import { errorCodeOf } from "@sealhouse/http-responses";
import type { Caller } from "@sealhouse/request-types";
import { OciError } from "../errors.ts";
import type { StoredManifest } from "../ports.ts";
import { isRepositoryName } from "../repository-name.ts";
import type { RepositoryName } from "../repository-name.ts";
import { digestOfTag } from "../retention/digest-of-tag.ts";
import { attachedTo, isSealable } from "./sealable.ts";
import { sealManifest, sealPorts } from "./seal-once.ts";
import type { SealingParts } from "./seal-once.ts";

/** An event of the registry, as far as sealing needs it. */
export type SealEvent = {
  readonly type: string;
  /** `oci/team/app:1.0` or `oci/team/app@sha256:…`. */
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly caller: { readonly actor: string };
};

/** Consumer of events that signs pushed images. */
export type SealConsumer = Disposable & {
  readonly name: string;
  handle(events: readonly SealEvent[]): Promise<void>;
};

export type SealConsumerParts = SealingParts & {
  readonly log: Readonly<Record<"info" | "warn", (fields: object, message: string) => void>>;
};

/**
 * Signs tagged images from the events of pushes. The events of earlier pushes are still there, so
 * images that were tagged before signing was enabled are signed too. Disposal stops waiting for
 * other instances.
 */
export function openSealConsumer(parts: SealConsumerParts): SealConsumer {
  const stop = new AbortController();
  return {
    name: "oci-seal",
    async handle(events) {
      for (const event of events) {
        const pushed = pushedBy(event, parts.options.caller);
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

function pushedBy(
  { type, subject, detail, caller }: SealEvent,
  us: Pick<Caller, "actor">,
): Pushed | undefined {
  if (type !== "package.published" || !subject.startsWith("oci/")) return undefined;
  // Mirrored images stay as their source has them.
  if (detail?.["origin"] === "mirrored") return undefined;
  const [, repository = "", separator, rest = ""] = /^oci\/([^:@]+)([:@])(.+)$/.exec(subject) ?? [];
  const digest = detail?.["digest"];
  if (!isRepositoryName(repository) || typeof digest !== "string") return undefined;
  const tag = separator === ":" ? rest : undefined;
  return { repository, tag, digest, byUs: caller.actor === us.actor };
}

async function sealPushed(
  parts: SealConsumerParts,
  { repository, tag, digest, byUs }: Pushed,
  signal: AbortSignal,
): Promise<void> {
  const { manifests, tags } = parts.catalog;
  const { isSealed } = await import("./seal-image.ts");
  // The tag was moved or deleted in the meantime; another event handles that.
  if (tag !== undefined && (await digestOfTag(tags, repository, tag)) !== digest) return;
  const manifest = await manifests.find(repository, digest);
  if (!manifest) return;
  if (tag !== undefined && isSealable(manifest, tag)) {
    await seal(parts, { repository, manifest }, signal);
    return;
  }
  // A client signed an image that we signed. Clients that keep all signatures of an image in one
  // place may have replaced ours.
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
    for (const { digest, addedFormats: made } of await sealManifest(
      parts,
      repository,
      manifest,
      signal,
    )) {
      if (made.length > 0) log.info({ repository, digest, formats: made }, "signed an image");
    }
  } catch (error) {
    if (!isLasting(error)) throw error;
    const { digest } = manifest;
    log.warn({ repository, digest, err: error }, "could not sign an image");
  }
}

/** Refusals of the catalog and lost bytes do not change by a retry, and other events wait. */
function isLasting(error: unknown): boolean {
  return error instanceof OciError || errorCodeOf(error) === "storage-not-found";
}
