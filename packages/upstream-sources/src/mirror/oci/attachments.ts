import type { Digest } from "@sealhouse/oci-distribution";
import type { FetchedManifest } from "@sealhouse/oci-distribution/client";
import { createNameMemory } from "../name-memory.ts";
import { asUnavailable } from "./as-unavailable.ts";
import { checkedManifest } from "./checked-manifest.ts";
import { nameAt } from "./image-locator.ts";
import type { SharedParts } from "./image-parts.ts";
import type { WantedManifest } from "./manifest-keeper.ts";

/** Returns the image that a manifest of a source is about; undefined for an image or an index. */
export type SubjectAtSource = (wanted: WantedManifest) => Promise<Digest | undefined>;

/** Content never changes under its digest, but memory is limited. */
const REMEMBERED_MS = 10 * 60_000;

const IMAGE_CONFIGS: readonly unknown[] = [
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
];

/** Reads manifests without keeping them. */
export function subjectsAtSource({
  mirror,
  registries,
  now,
}: Pick<SharedParts, "mirror" | "registries" | "now">): SubjectAtSource {
  const known = createNameMemory<{ readonly subject: Digest | undefined }>(
    () => now().getTime(),
    mirror,
  );
  return async ({ image, source, digest }) => {
    const name = nameAt(source, image);
    const key = `${source.name} ${name} ${digest}`;
    const remembered = known.get(key);
    if (remembered) return remembered.subject;
    const remote = registries.of(source).repository(name);
    const { signal } = new AbortController();
    const manifest = await asUnavailable(source.name, () =>
      mirror.calls.run(source, signal, (callSignal) =>
        remote.manifest(digest, { signal: callSignal }),
      ),
    );
    const subject = manifest && subjectOf(manifest, source.url);
    known.set(key, { until: now().getTime() + REMEMBERED_MS, state: { subject } });
    return subject;
  };
}

function subjectOf(manifest: FetchedManifest, url: URL): Digest | undefined {
  const { kind, subject } = checkedManifest(manifest, url);
  const { config } = JSON.parse(Buffer.from(manifest.bytes).toString()) as {
    readonly config?: { readonly mediaType?: unknown };
  };
  const isRunnable = kind === "index" || IMAGE_CONFIGS.includes(config?.mediaType);
  return isRunnable ? undefined : subject;
}
