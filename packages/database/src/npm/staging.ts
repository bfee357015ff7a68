import { sql } from "#kysely";
import type {
  NamedBlob,
  NewStagedVersion,
  NpmStaging,
  StagedExpiry,
  StagedVersion,
} from "@sealhouse/npm-protocol";
import type { OpenWrites } from "../orm/lazy-writes.ts";
import { createStagedRows } from "../staging/staged-rows.ts";
import type { StagedRow } from "../staging/staged-rows.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { parseSummary } from "./staged-texts.ts";

const ANY_EXPIRED = defineStatement(
  "staged-versions-any-expired",
  { now: param.time },
  (db, { now }) =>
    db.selectFrom("staged_versions").where("expires_at", "<=", now).select("id").limit(sql.lit(1)),
);

/** Reads through `queries`; whatever changes something goes through `writes`. */
export function createNpmStaging(
  queries: Queries,
  writes: OpenWrites,
  now: () => Date,
): NpmStaging & StagedExpiry {
  const rows = createStagedRows(queries, "npm", now);
  return {
    stage: async (...asked) => (await writes()).npmStaging.stage(...asked),
    list: async (name) => (await rows.list(name)).map(stagedVersion),
    async find(id) {
      const found = await rows.find(id);
      return found && { ...stagedVersion(found), blob: found.blob };
    },
    async details(id) {
      const found = await rows.details(id);
      return found && parseDetails(found.details, found.blob);
    },
    reject: async (...asked) => (await writes()).npmStaging.reject(...asked),
    async expire(atMost) {
      // Avoids loading MikroORM when nothing has expired.
      if (!(await queries.one(ANY_EXPIRED, { now: now() }))) return 0;
      return (await writes()).expireStaged(atMost);
    },
  };
}

function parseDetails(text: string, blob: NamedBlob): NewStagedVersion {
  const version = JSON.parse(text) as Omit<NewStagedVersion, "blob">;
  return { ...version, blob };
}

function stagedVersion({ summary, ...row }: StagedRow): StagedVersion {
  const { id, name, version, actor, createdAt, expiresAt } = row;
  return { id, name, version, ...parseSummary(summary), actor, createdAt, expiresAt };
}
