import type { Parameter } from "../../raw/query-port.ts";

export type Roots = {
  readonly repository: number;
  /** Manifests used since then are roots. */
  readonly untaggedSince: Date;
  readonly now: Date;
};

/** A hold on the digest of `alias`; takes the time. */
export const isHeld = (alias: string): string =>
  `exists (select 1 from oci_holds h where h.digest = ${alias}.digest
    and (h.held_until is null or h.held_until > ?))`;

/** Whether the manifest `m` is a root (rule R3); takes two times: used since, and now. */
export const IS_ROOT = `(m.touched_at >= ?
  or exists (select 1 from oci_tags t where t.manifest_id = m.id and t.subject is null)
  or ${isHeld("m")})`;

/** Who keeps whom within one repository; takes it three times: children (also one that somebody
 * deleted once and pushed again), referrers, and what tags name as belonging to a digest. */
const KEEPS = `
  select e.manifest_id as keeper, c.id as kept from oci_manifest_edges e
    join oci_manifests c on c.repository_id = e.repository_id and c.digest = e.child
    where e.repository_id = ?
  union all
  select s.id, m.id from oci_manifests m
    join oci_manifests s on s.repository_id = m.repository_id and s.digest = m.subject
    where m.repository_id = ?
  union all
  select s.id, t.manifest_id from oci_tags t
    join oci_manifests s on s.repository_id = t.repository_id and s.digest = t.subject
    where t.repository_id = ?`;

/** The ids of all manifests of a repository that a root reaches, as `reached` (rule R15). */
export const REACHED = `with recursive reached (id) as (
  select m.id from oci_manifests m where m.repository_id = ? and ${IS_ROOT}
  union
  select k.kept from reached r join (${KEEPS}) k on k.keeper = r.id)`;

export function reachedFrom({ repository, untaggedSince, now }: Roots): readonly Parameter[] {
  return [repository, untaggedSince, now, repository, repository, repository];
}

/** The other way: a manifest and all that keep it, as `keepers`; takes the id, then the repository
 * three times. */
export const KEEPERS = `with recursive keepers (id) as (
  select m.id from oci_manifests m where m.id = ?
  union
  select k.keeper from keepers r join (${KEEPS}) k on k.kept = r.id)`;
