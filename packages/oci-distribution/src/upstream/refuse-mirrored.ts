import type { Call } from "../call.ts";
import type { RepositoryName } from "../repository-name.ts";
import { mirroredName } from "./name-origin-errors.ts";

/** Throws `DENIED` for a push to a repository that is mirrored. Clients learn it before they send
 * layers; the transaction of the push checks again. */
export async function refuseMirrored({ registry }: Call, name: RepositoryName): Promise<void> {
  const source = await registry.sources.mirroredFrom(name);
  if (source !== undefined) throw mirroredName(name, source);
}
