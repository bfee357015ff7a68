import { runLeased } from "@sealhouse/jobs";
import type { Leases } from "@sealhouse/jobs";
import type { OciPorts, StoredManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { TagRetention } from "../retention/ports.ts";
import type { SealFormat, SealKeys, SealOptions, SealPorts } from "./ports.ts";
import type { SealedImage } from "./seal-image.ts";

export type SealingParts = {
  readonly catalog: Pick<OciPorts, "blobs" | "manifests"> & { readonly tags: TagRetention };
  readonly leases: Leases;
  readonly files: OciPorts["files"];
  readonly keys: SealKeys;
  readonly options: SealOptions;
  /** Whether the images of an index are signed as well as the index. */
  readonly platforms: boolean;
  readonly now: () => Date;
};

/** Longer than a key service may take for the signatures of one image. */
const LEASE_MS = 60_000;
const WAIT_MAX_MS = 90_000;

export type Sealed = SealedImage & { readonly formats: readonly SealFormat[] };

/** Adds the missing signatures of a manifest and, if configured, of its platforms. Of several
 * instances that handle the same image one signs. */
export async function sealManifest(
  parts: SealingParts,
  repository: RepositoryName,
  manifest: StoredManifest,
  signal: AbortSignal,
): Promise<readonly SealedImage[]> {
  const { platformsOf, sealImage } = await import("./seal-image.ts");
  const ports = sealPorts(parts);
  const platforms = parts.platforms ? await platformsOf(ports, repository, manifest) : [];
  const outcomes: SealedImage[] = [];
  for (const storedManifest of [...platforms, manifest]) {
    const work = () => sealImage(ports, repository, storedManifest, parts.options);
    outcomes.push(await onOneInstance(parts, storedManifest, { work, signal }));
  }
  return outcomes;
}

export function sealPorts({ catalog, files, keys, now }: SealingParts): SealPorts {
  const { blobs, manifests } = catalog;
  return { blobs, manifests, files, keys, now };
}

async function onOneInstance<T>(
  { leases }: SealingParts,
  { digest }: StoredManifest,
  { work, signal }: { readonly work: () => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  // 256 leases are enough; a registry may have millions of images.
  const name = `oci-seal/${digest.split(":")[1]?.slice(0, 2)}`;
  const options = { name, leaseMs: LEASE_MS, waitMaxMs: WAIT_MAX_MS, signal };
  const outcome = await runLeased(leases, options, work);
  if (outcome.status === "busy") throw new Error(`${digest} waited too long for its signature.`);
  return outcome.result;
}
