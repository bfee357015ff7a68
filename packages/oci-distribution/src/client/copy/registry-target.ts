import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { OciClient, RepositoryClient } from "../client.ts";
import { OciClientError } from "../client-error.ts";
import { addToFallbackIndex } from "./fallback-index.ts";
import type { ImageTarget, SourceManifest } from "./ports.ts";

/** A repository of a registry. Where that keeps no referrers itself, the index under the fall-back
 * tag is kept for it. */
export function registryTarget(client: OciClient, repository: string): ImageTarget {
  const place = client.repository(repository);
  const { origin, host } = client.registry;
  return {
    label: `${host}/${repository}`,
    home: { registry: origin, repository },
    async findManifest(reference, options) {
      return (await orUnknown(place.findManifest(reference, options)))?.digest;
    },
    findBlob: (digest, options) => orUnknown(place.findBlob(digest, options)),
    async mount(digest, from, options) {
      // Without the right to read the other repository, the blob is sent.
      return (await orUnknown(place.mount(digest, from, options))) ?? false;
    },
    putBlob: (blob, options) => place.pushBlob(blob, options),
    putManifest: (manifest, options) => put(place, manifest.digest, manifest, options),
    putTag: (tag, manifest, options) => put(place, tag, manifest, options),
  };
}

/** Some registries do not let those look who may write: then it is sent. */
async function orUnknown<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    const { status } = error instanceof OciClientError ? error : {};
    if (status === 401 || status === 403 || status === 405) return undefined;
    throw error;
  }
}

async function put(
  place: RepositoryClient,
  reference: string,
  manifest: SourceManifest,
  options: CallOptions,
): Promise<void> {
  const outcome = await place.putManifest(reference, manifest, options);
  if (outcome.status === "stored" && outcome.subject) return;
  await addToFallbackIndex(place, manifest, options);
}
