import type { Database } from "@sealhouse/database";
import { runLeased } from "@sealhouse/jobs";
import type { OciPorts, RepositoryName, StoredManifest } from "@sealhouse/oci-distribution";
import type {
  SealFormat,
  SealKeys,
  SealOptions,
  SealOutcome,
  SealPorts,
} from "@sealhouse/oci-distribution/seal";

export type SealingParts = {
  readonly database: {
    readonly oci: Pick<Database["oci"], "blobs" | "manifests" | "tags">;
    readonly leases: Database["leases"];
  };
  readonly files: OciPorts["files"];
  readonly keys: SealKeys;
  readonly options: SealOptions;
  /** Whether the images that an index lists are sealed as well as the index. */
  readonly platforms: boolean;
  readonly now: () => Date;
};

/** Longer than a key service may take for the signatures of one image. */
const LEASE_MS = 60_000;
const WAIT_MAX_MS = 90_000;

export type Sealed = SealOutcome & { readonly formats: readonly SealFormat[] };

/** Signs a manifest and, if so configured, its platforms, wherever a signature is missing. Of
 * several instances that are told of the same image one makes it. */
export async function sealManifest(
  parts: SealingParts,
  repository: RepositoryName,
  manifest: StoredManifest,
  signal: AbortSignal,
): Promise<readonly SealOutcome[]> {
  const { platformsOf, sealImage } = await import("@sealhouse/oci-distribution/seal");
  const ports = sealPorts(parts);
  const platforms = parts.platforms ? await platformsOf(ports, repository, manifest) : [];
  const outcomes: SealOutcome[] = [];
  for (const one of [...platforms, manifest]) {
    const work = () => sealImage(ports, repository, one, parts.options);
    outcomes.push(await onOneInstance(parts, one, { work, signal }));
  }
  return outcomes;
}

export function sealPorts({ database, files, keys, now }: SealingParts): SealPorts {
  const { blobs, manifests } = database.oci;
  return { blobs, manifests, files, keys, now };
}

async function onOneInstance<T>(
  { database }: SealingParts,
  { digest }: StoredManifest,
  { work, signal }: { readonly work: () => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  // A registry may have millions of images; it needs no lease row for each.
  const name = `oci-seal/${digest.split(":")[1]?.slice(0, 2)}`;
  const options = { name, leaseMs: LEASE_MS, waitMaxMs: WAIT_MAX_MS, signal };
  const outcome = await runLeased(database.leases, options, work);
  if (outcome.status === "busy") throw new Error(`${digest} waited too long for its signature.`);
  return outcome.result;
}
