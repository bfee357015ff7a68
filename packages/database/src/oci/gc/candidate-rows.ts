import { sql } from "#kysely";
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
import type { Dialect } from "../../statements/dialects/dialect.ts";
import { param } from "../../statements/kinds.ts";
import type { Parameters } from "../../statements/parameter.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import { ociParam } from "../oci-param.ts";
import { SURFACE, belongsTo, surfaceValues } from "./surface-rows.ts";

const PAGE = {
  run: param.text(36),
  kind: param.text(16),
  after: param.whole,
  limit: param.whole,
};

const candidatesOf = (db: Dialect["db"], { run, kind, after }: Parameters<typeof PAGE>) =>
  db
    .selectFrom("oci_gc_candidates as c")
    .where("c.run_id", "=", run)
    .where("c.kind", "=", kind)
    .where("c.id", ">", after)
    .select(["c.id", "c.kind", "c.repository", "c.digest", "c.size", "c.reason", "c.last_used_at"])
    .orderBy("c.id");

const CANDIDATES = defineStatement("gc-candidates", PAGE, (db, parameters, own) =>
  own.limit(candidatesOf(db, parameters), parameters.limit),
);
/** Only those that the reviewed report contains, too. */
const REVIEWED = defineStatement(
  "gc-candidates-reviewed",
  { ...PAGE, reviewed: param.text(36) },
  (db, parameters, own) =>
    own.limit(
      candidatesOf(db, parameters).where((candidate) =>
        candidate.exists(
          candidate
            .selectFrom("oci_gc_candidates as v")
            .where("v.run_id", "=", parameters.reviewed)
            .whereRef("v.kind", "=", "c.kind")
            .whereRef("v.repository", "=", "c.repository")
            .whereRef("v.digest", "=", "c.digest")
            .select("v.id"),
        ),
      ),
      parameters.limit,
    ),
);
const REPOSITORIES = defineStatement(
  "gc-repositories",
  { ...SURFACE, after: ociParam.repositoryName, limit: param.whole },
  (db, parameters, own) =>
    own.limit(
      db
        .selectFrom("oci_repositories as r")
        .where("r.name", ">", parameters.after)
        .where(belongsTo(own, parameters))
        .select("r.name")
        .orderBy("r.name"),
      parameters.limit,
    ),
);
const CLAIMED = defineStatement(
  "gc-claimed",
  { after: param.whole, limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("blobs")
        .where("protocol", "=", sql.lit("oci"))
        .where("state", "in", [sql.lit("deleting"), sql.lit("delete-failed")])
        .where("id", ">", after)
        .select(["id", "digest", "storage_key"])
        .orderBy("id"),
      limit,
    ),
);

export async function readCandidates(
  queries: Queries,
  run: Pick<RunKey, "id">,
  { kind, limit, after, reviewed }: CandidatePage,
): Promise<readonly Candidate[]> {
  const page = { run: run.id, kind, after: after?.position ?? 0, limit };
  const rows =
    reviewed === undefined
      ? await queries.all(CANDIDATES, page)
      : await queries.all(REVIEWED, { ...page, reviewed });
  return rows.map(candidateOf);
}

export async function readRepositories(
  queries: Queries,
  surface: Surface,
  { limit, after = "" }: { readonly limit: number; readonly after?: string },
): Promise<Repositories> {
  const rows = await queries.all(REPOSITORIES, { ...surfaceValues(surface), after, limit });
  return rows.map(({ name }) => parseRepositoryName(name));
}

export async function readClaimed(
  queries: Queries,
  limit: number,
  after?: ClaimedBlob,
): Promise<readonly ClaimedBlob[]> {
  const rows = await queries.all(CLAIMED, { after: after?.id ?? 0, limit });
  return rows.map((row) => ({
    id: row.id,
    digest: parseDigest(row.digest),
    key: row.storage_key,
  }));
}

function candidateOf(row: RowOf<typeof CANDIDATES>): Candidate {
  const { kind } = row;
  const base = {
    position: row.id,
    digest: parseDigest(row.digest),
    size: row.size,
    reason: reasonOf(row.reason),
    lastUsedAt: row.last_used_at,
  };
  if (kind === "blob") return { ...base, kind };
  const repository = parseRepositoryName(row.repository);
  if (kind === "manifest" || kind === "link") return { ...base, kind, repository };
  throw new UnexpectedRowError("kind", kind);
}

const REASONS = ["untagged", "subject-gone", "unneeded", "unlinked"] as const;

function reasonOf(text: string): CandidateReason {
  const reason = REASONS.find((name) => name === text);
  if (!reason) throw new UnexpectedRowError("reason", text);
  return reason;
}
