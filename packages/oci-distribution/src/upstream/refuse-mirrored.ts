import type { Call } from "../call.ts";
import type { RepositoryName } from "../repository-name.ts";
import { mirroredName, nameOfSource } from "./name-origin-errors.ts";

/** Throws `DENIED` for a push to a repository that belongs to a source. Clients learn it before
 * they send layers; the transaction of the push checks again what was mirrored. */
export async function refuseMirrored({ registry }: Call, name: RepositoryName): Promise<void> {
  const claim = await registry.sources.claimOn(name);
  if (!claim) return;
  const refusal = claim.kind === "mirrored" ? mirroredName : nameOfSource;
  throw refusal(name, claim.source);
}
