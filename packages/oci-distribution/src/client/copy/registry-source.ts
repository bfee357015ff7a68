import type { OciClient } from "../client.ts";
import type { ImageSource } from "./ports.ts";

/** A repository of a registry. */
export function registrySource(client: OciClient, repository: string): ImageSource {
  const place = client.repository(repository);
  const { origin, host } = client.registry;
  return {
    label: `${host}/${repository}`,
    home: { registry: origin, repository },
    manifest: (reference, options) => place.manifest(reference, options),
    blob: ({ digest, size }, options) => place.blob(digest, { ...options, size }),
    referrers: (subject, options) => place.referrers(subject, options),
    tags: (options) => place.tags(options),
  };
}
