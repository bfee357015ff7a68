import { parseDigest } from "@sealhouse/oci-distribution";
import type {
  CompletedManifests,
  FetchedManifest,
  RepositoryClient,
} from "@sealhouse/oci-distribution/client";
import type { ReleaseMember } from "../model/release.ts";
import type { SignedStatement } from "../statement/release-statement.ts";
import type { OutgoingItem, SendOutcome } from "./publisher.ts";

// A release of images that earlier releases have brought to the target asks for little.

/** Returns what a tag points to. Another manifest than that of the member comes with its bytes. */
export async function tagged(
  place: Pick<RepositoryClient, "findManifest" | "manifest">,
  { tag, member }: { readonly tag: string; readonly member: ReleaseMember },
  signal: AbortSignal,
): Promise<{ readonly digest?: string; readonly manifest?: FetchedManifest }> {
  const there = await place.findManifest(tag, { signal });
  if (there?.digest === member.version) return { digest: there.digest };
  const manifest = there && (await place.manifest(tag, { signal }));
  return manifest ? { digest: manifest.digest, manifest } : {};
}

/** Whether all tags of a member pointed to it before the release. */
export function hasTags({ member, before }: Pick<OutgoingItem, "member" | "before">): boolean {
  return member.tags.length > 0 && member.tags.every((tag) => before?.tags[tag] === member.version);
}

/** Returns where images with a statement are remembered. Names of repositories have no blanks. */
export function statementsIn(repository: string): string {
  return `${repository} statements`;
}

/** Points with the statement; without one when the image had a statement and its tags before the
 * release. */
export async function attachOnce(
  attached: CompletedManifests,
  {
    item,
    statement,
  }: { readonly item: OutgoingItem; readonly statement: SignedStatement | undefined },
  point: (statement: SignedStatement | undefined) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  const digest = parseDigest(item.member.version);
  if (hasTags(item) && (await attached.has(digest))) return point(undefined);
  const outcome = await point(statement);
  if (outcome.status === "done" && statement) await attached.add(digest);
  return outcome;
}
