import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type {
  Candidate,
  CandidatePage,
  CandidateReason,
  ClaimedBlob,
  Repositories,
  RunKey,
  Surface,
} from "@sealhouse/oci-distribution";
import { UnexpectedRowError } from "../../errors.ts";
import type { QueryPort, Row } from "../../raw/query-port.ts";
import { numberOf, textOf, timeOf } from "../../raw/row.ts";
import { belongsTo } from "./surface-rows.ts";

const CANDIDATES = `select c.id, c.kind, c.repository, c.digest, c.size, c.reason, c.last_used_at
  from oci_gc_candidates c where c.run_id = ? and c.kind = ? and c.id > ?`;
const REVIEWED = `and exists (select 1 from oci_gc_candidates v where v.run_id = ?
  and v.kind = c.kind and v.repository = c.repository and v.digest = c.digest)`;
const CLAIMED = {
  name: "gc-claimed",
  sql: `select id, digest, storage_key from blobs where protocol = 'oci'
    and state in ('deleting', 'delete-failed') and id > ? order by id limit ?`,
};

export async function readCandidates(
  port: QueryPort,
  run: Pick<RunKey, "id">,
  { kind, limit, after, reviewed }: CandidatePage,
): Promise<readonly Candidate[]> {
  const only = reviewed === undefined ? "" : REVIEWED;
  const sql = `${CANDIDATES} ${only} order by c.id limit ?`;
  const rows = await port.all({ sql }, [
    run.id,
    kind,
    after?.position ?? 0,
    ...(reviewed === undefined ? [] : [reviewed]),
    limit,
  ]);
  return rows.map(candidateOf);
}

export async function readRepositories(
  port: QueryPort,
  surface: Surface,
  { limit, after = "" }: { readonly limit: number; readonly after?: string },
): Promise<Repositories> {
  const owned = belongsTo(surface);
  const sql = `select r.name from oci_repositories r where r.name > ? and ${owned.sql}
    order by r.name limit ?`;
  const rows = await port.all({ sql }, [after, ...owned.parameters, limit]);
  return rows.map((row) => parseRepositoryName(textOf(row, "name")));
}

export async function readClaimed(
  port: QueryPort,
  limit: number,
  after?: ClaimedBlob,
): Promise<readonly ClaimedBlob[]> {
  return (await port.all(CLAIMED, [after?.id ?? 0, limit])).map((row) => ({
    id: numberOf(row, "id"),
    digest: parseDigest(textOf(row, "digest")),
    key: textOf(row, "storage_key"),
  }));
}

function candidateOf(row: Row): Candidate {
  const base = {
    position: numberOf(row, "id"),
    digest: parseDigest(textOf(row, "digest")),
    size: numberOf(row, "size"),
    reason: reasonOf(row),
    lastUsedAt: timeOf(row, "last_used_at"),
  };
  const kind = textOf(row, "kind");
  if (kind === "blob") return { ...base, kind };
  const repository = parseRepositoryName(textOf(row, "repository"));
  if (kind === "manifest" || kind === "link") return { ...base, kind, repository };
  throw new UnexpectedRowError("kind", kind);
}

const REASONS = ["untagged", "subject-gone", "unneeded", "unlinked"] as const;

function reasonOf(row: Row): CandidateReason {
  const text = textOf(row, "reason");
  const reason = REASONS.find((one) => one === text);
  if (!reason) throw new UnexpectedRowError("reason", text);
  return reason;
}
