import { sql } from "#kysely";
import type {
  NamedBlob,
  NewStagedVersion,
  NpmStaging,
  StagedExpiry,
  StagedVersion,
} from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import { expireStaged } from "../staging/staged-changes.ts";
import { createStagedRows } from "../staging/staged-rows.ts";
import type { StagedRow } from "../staging/staged-rows.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { createNpmStagingChanges } from "./staging-changes.ts";
import { parseSummary } from "./staged-texts.ts";

const ANY_EXPIRED = defineStatement(
  "staged-versions-any-expired",
  { now: param.time },
  (db, { now }) =>
    db.selectFrom("staged_versions").where("expires_at", "<=", now).select("id").limit(sql.lit(1)),
);

export function createNpmStaging(queries: Queries, changes: Changes): NpmStaging & StagedExpiry {
  const rows = createStagedRows(queries, "npm", changes.now);
  return {
    ...createNpmStagingChanges(changes),
    list: async (name) => (await rows.list(name)).map(stagedVersion),
    async find(id) {
      const found = await rows.find(id);
      return found && { ...stagedVersion(found), blob: found.blob };
    },
    async details(id) {
      const found = await rows.details(id);
      return found && parseDetails(found.details, found.blob);
    },
    async expire(atMost) {
      // Avoids a transaction when nothing has expired.
      if (!(await queries.one(ANY_EXPIRED, { now: changes.now() }))) return 0;
      return expireStaged(changes, atMost);
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
