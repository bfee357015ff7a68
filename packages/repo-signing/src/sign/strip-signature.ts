import { readArchive } from "../archive/archive.ts";
import { readSignatureEntry, signatureEntryOf } from "../archive/signature-entry.ts";
import type { PackageBytes } from "../ports.ts";
import { removeCountersignatures } from "../signature/create-signature.ts";
import { hasRepositoryCountersignature, parseSignature } from "../signature/parse-signature.ts";
import { planRemove, planReplace } from "../splice/edit-signature.ts";
import type { SplicePlan } from "../splice/splice-plan.ts";

/**
 * Plans the package without signatures of repositories: removes a repository's own signature
 * completely and a countersignature alone, and keeps an author's signature with its timestamps.
 * Undefined when there is nothing to remove.
 * @throws SignatureError
 * @throws ArchiveError
 */
export async function stripRepositorySignatures(
  file: PackageBytes,
  now: Date,
): Promise<SplicePlan | undefined> {
  const archive = await readArchive(file);
  const entry = signatureEntryOf(archive);
  if (!entry) return undefined;
  const signature = parseSignature(await readSignatureEntry(file, entry));
  if (signature.kind === "repository") return planRemove(archive);
  if (!hasRepositoryCountersignature(signature)) return undefined;
  return planReplace(archive, removeCountersignatures(signature), now);
}
