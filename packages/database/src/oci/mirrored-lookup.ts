import { sql } from "#kysely";
import type { Digest, RepositoryName } from "@sealhouse/oci-distribution";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { indexesOf } from "./manifest-line.ts";
import { ociParam } from "./oci-param.ts";

/** An image in several indexes of one repository has the same platform in all of them. */
const INDEXES_MAX = 20;

const NAMES = defineStatement("oci-mirrored-names", { names: param.texts }, (db, { names }, own) =>
  db
    .selectFrom("name_origins")
    .where("protocol", "=", sql.lit("oci"))
    .where("origin", "=", sql.lit("mirrored"))
    .where("name", "in", own.textsIn(names))
    .select(["name", "source"]),
);
const INDEXES = defineStatement(
  "oci-indexes-with",
  { repository: ociParam.repositoryName, digest: ociParam.digest },
  (db, { repository, digest }, own) =>
    own.limit(
      indexesOf(db, repository, digest).select("m.bytes").orderBy("m.id", "desc"),
      sql.lit(INDEXES_MAX),
    ),
);

/** Lookups for the mirror of images. */
export interface MirroredLookup {
  /** Returns the mirrored ones of the repositories, and their sources. */
  sourcesOf(repositories: readonly RepositoryName[]): Promise<ReadonlyMap<string, string>>;
  /** Bytes of the indexes of the repository that list a manifest. */
  indexesWith(repository: RepositoryName, digest: Digest): Promise<readonly Uint8Array[]>;
}

export function createMirroredLookup(queries: Queries): MirroredLookup {
  return {
    async sourcesOf(repositories) {
      if (repositories.length === 0) return new Map();
      const rows = await queries.all(NAMES, { names: repositories });
      return new Map(rows.map(({ name, source }) => [name, source ?? ""]));
    },
    async indexesWith(repository, digest) {
      const rows = await queries.all(INDEXES, { repository, digest });
      return rows.map(({ bytes }) => bytes);
    },
  };
}
