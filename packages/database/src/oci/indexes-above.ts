import type { ImmutableTag, ImmutableTags, RepositoryName } from "@sealhouse/oci-distribution";
import type { Unit } from "../transactions/unit-of-work.ts";
import { textOf } from "../raw/row.ts";
import { isHeld } from "./gc/kept-by.ts";

/** A manifest, and the indexes that list it, directly or through others; takes its id. */
const ABOVE = `with recursive above (id) as (
  select m.id from oci_manifests m where m.id = ?
  union
  select e.manifest_id from above a join oci_manifests c on c.id = a.id
    join oci_manifest_edges e on e.repository_id = c.repository_id and e.child = c.digest)`;
const LOCK = `${ABOVE} select m.id from oci_manifests m
  where m.id in (select id from above) order by m.digest`;
const HELD = {
  name: "oci-held-above",
  sql: `${ABOVE} select 1 from above a join oci_manifests m on m.id = a.id
    where ${isHeld("m.digest")} limit 1`,
};
const TAGS = {
  name: "oci-tags-above",
  sql: `${ABOVE} select t.tag from above a join oci_tags t on t.manifest_id = a.id order by t.tag`,
};

/** Locks the indexes, so that none gets a further tag before the commit. */
export async function lockIndexesAbove({ read, forUpdate }: Unit, manifest: number): Promise<void> {
  await read({ name: `oci-lock-above${forUpdate}`, sql: `${LOCK}${forUpdate}` }, [manifest]);
}

/** Whether a hold is about the manifest, or about an index that would lose a part with it. */
export async function isHeldFromAbove(
  { read }: Unit,
  manifest: number,
  now: Date,
): Promise<boolean> {
  return (await read(HELD, [manifest, now])).length > 0;
}

/** Returns the first immutable tag that points to the manifest, or to an index that lists it. */
export async function immutableTagAbove(
  { read }: Unit,
  immutable: ImmutableTags,
  { manifest, repository }: { readonly manifest: number; readonly repository: RepositoryName },
): Promise<ImmutableTag | undefined> {
  for (const row of await read(TAGS, [manifest])) {
    const tag = textOf(row, "tag");
    const rule = immutable(repository, tag);
    if (rule !== undefined) return { status: "immutable", tag, rule };
  }
  return undefined;
}
