import { hash } from "node:crypto";
import type { FirstSeen } from "@sealhouse/upstream-sources";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

const FIND = defineStatement("first-seen", { keys: param.texts }, (db, { keys }, own) =>
  db
    .selectFrom("first_seen_versions")
    .where("version_key", "in", own.textsIn(keys))
    .select(["version_key", "seen_at"]),
);
const PUT = defineStatement(
  "first-seen-put",
  { key: param.text(64), seenAt: param.time },
  (_db, { key, seenAt }, own) =>
    own.upsert("first_seen_versions", { version_key: key, seen_at: seenAt }, ["version_key"]),
);

export function createFirstSeen({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): FirstSeen {
  return {
    async note(source, name, versions) {
      const keys = new Map(versions.map((version) => [keyOf(source, name, version), version]));
      const rows = await queries.all(FIND, { keys: [...keys.keys()] });
      const known = new Map(rows.map((row) => [row.version_key, row.seen_at]));
      const seenAt = changes.now();
      const added = [...keys.keys()].filter((key) => !known.has(key));
      if (added.length > 0) {
        await changes.transaction(async (unit) => {
          for (const key of added) await unit.queries.run(PUT, { key, seenAt });
        });
      }
      return new Map([...keys].map(([key, version]) => [version, known.get(key) ?? seenAt]));
    },
  };
}

function keyOf(source: string, name: string, version: string): string {
  return hash("sha256", [source, name, version].join("\n"));
}
