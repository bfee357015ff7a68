import type {
  NamedBlob,
  NewStagedVersion,
  NpmStaging,
  StagedExpiry,
  StagedVersion,
} from "@sealhouse/npm-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { createStagedRows } from "../staging/staged-rows.ts";
import type { StagedRow } from "../staging/staged-rows.ts";
import { parseSummary } from "./staged-texts.ts";

const ANY_EXPIRED: Statement = {
  name: "staged-versions-any-expired",
  sql: "select id from staged_versions where expires_at <= ? limit 1",
};

/** Reads through the port; whatever changes something goes through `writes`. */
export function createNpmStaging(
  port: QueryPort,
  writes: OpenWrites,
  now: () => Date,
): NpmStaging & StagedExpiry {
  const rows = createStagedRows(port, "npm", now);
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
      // Nothing is loaded for nothing.
      if (!(await port.one(ANY_EXPIRED, [now()]))) return 0;
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
