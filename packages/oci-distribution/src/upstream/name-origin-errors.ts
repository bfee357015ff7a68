import { OciError } from "../errors.ts";
import type { RepositoryName } from "../repository-name.ts";
import type { Call } from "../call.ts";

/** Returns the refusal of a push to a repository that is mirrored from a source. */
export function mirroredName(name: RepositoryName, source: string): OciError {
  const message =
    `${name} is mirrored from the source "${source}", so nothing can be pushed to it; an ` +
    `administrator can make it a repository of this registry with: ` +
    `sealhouse source release oci ${name}`;
  return new OciError("DENIED", { message, details: [{ name, source }] });
}

/** Returns the refusal of a push to a name under which clients expect the image of a source. */
export function nameOfSource(name: RepositoryName, source: string): OciError {
  const message =
    `${name} is a name of the registry that the source "${source}" mirrors, so nothing can be ` +
    `pushed to it; an administrator can keep it for this registry with: ` +
    `sealhouse source reserve oci ${name}`;
  return new OciError("DENIED", { message, details: [{ name, source }] });
}

/** Returns the refusal to mirror a repository to which something was pushed in the meantime. */
export function ownName(name: RepositoryName): OciError {
  const message = `${name} was pushed to this registry, so it is not mirrored`;
  return new OciError("DENIED", { message, details: [{ name }] });
}

/** Throws `DENIED` for a push to a repository that belongs to a source. Clients learn it before
 * they send layers; the transaction of the push checks again what was mirrored. */
export async function refuseMirrored({ registry }: Call, name: RepositoryName): Promise<void> {
  const claim = await registry.sources.claimOn(name);
  if (!claim) return;
  const refusal = claim.kind === "mirrored" ? mirroredName : nameOfSource;
  throw refusal(name, claim.source);
}
