import { compareVersionTexts } from "@sealhouse/nuget-protocol";
import type { PackageLifecycle, Tombstone } from "@sealhouse/nuget-protocol";
import type { Changes } from "../transactions/changes.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { textOf, timeOf } from "../raw/row.ts";
import { createLifecycleChanges } from "./lifecycle-changes.ts";

const TOMBSTONES: Statement = {
  name: "nuget-tombstones",
  sql: `select display_id, version, sha256, deleted_at, deleted_by
    from nuget_tombstones where lower_id = ?`,
};

export function createPackageLifecycle(port: QueryPort, changes: Changes): PackageLifecycle {
  return {
    ...createLifecycleChanges(changes),
    async tombstones(id) {
      const found = (await port.all(TOMBSTONES, [id.toLowerCase()])).map(tombstoneOf);
      return found.toSorted((one, other) => compareVersionTexts(one.version, other.version));
    },
  };
}

function tombstoneOf(row: Row): Tombstone {
  return {
    id: textOf(row, "display_id"),
    version: textOf(row, "version"),
    sha256: textOf(row, "sha256"),
    deletedAt: timeOf(row, "deleted_at"),
    deletedBy: textOf(row, "deleted_by"),
  };
}
