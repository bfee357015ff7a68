import { sql } from "#kysely";
import type { Protocol } from "@sealhouse/request-types";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

/** Protocols whose packages have versions. */
export type PackageProtocol = Exclude<Protocol, "oci">;

const NAMES = { names: param.texts };

const NUGET = defineStatement("present-nuget", NAMES, (db, { names }, own) =>
  db
    .selectFrom("nuget_packages as p")
    .where(own.isIn(sql.ref("p.lower_id"), names))
    .where((row) =>
      row.exists(
        row.selectFrom("nuget_versions as v").whereRef("v.package_id", "=", "p.id").select("v.id"),
      ),
    )
    .select("p.lower_id as name"),
);
const NPM = defineStatement("present-npm", NAMES, (db, { names }, own) =>
  db
    .selectFrom("npm_packages as p")
    .where(own.isIn(sql.ref("p.name"), names))
    .where((row) =>
      row.exists(
        row.selectFrom("npm_versions as v").whereRef("v.package_id", "=", "p.id").select("v.id"),
      ),
    )
    .select("p.name"),
);

/** Returns those of the names that have a version here. NuGet: lower-cased ids. */
export async function presentNames(
  queries: Queries,
  protocol: PackageProtocol,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await queries.all(protocol === "nuget" ? NUGET : NPM, { names });
  return new Set(rows.map(({ name }) => name));
}
