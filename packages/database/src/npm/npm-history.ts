import type { NpmHistory, NpmVersionLine } from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import {
  PACKAGE,
  shownSignatures,
  summaryOf,
  TAGS,
  VERSION_COLUMNS,
  versionOf,
} from "./npm-lookup.ts";
import { npmVersions } from "../statements/versions-of.ts";

const NAME = { name: param.text(214) };

/** Uses only an index. Summing downloads would read the long texts of every row. */
const COUNT = defineStatement(
  "npm-version-count",
  { packageId: param.whole },
  (db, { packageId }) =>
    db
      .selectFrom("npm_versions")
      .where("package_id", "=", packageId)
      .select(({ fn }) => fn.countAll<number>().as("versions")),
);
const VERSION = defineStatement(
  "npm-version",
  { ...NAME, version: param.text(256) },
  (db, { name, version }) =>
    npmVersions(db, name)
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .where("v.version", "=", version)
      .select([
        ...VERSION_COLUMNS,
        shownSignatures(db).as("signatures"),
        "v.published_by",
        "v.downloads",
        "b.size",
      ]),
);
/** Finds the rows of a page in an index, without reading the texts of other versions. */
const NEWEST = defineStatement(
  "npm-versions-newest",
  { ...NAME, skip: param.whole, take: param.whole },
  (db, { name, skip, take }, own) => {
    const shown = own.page(
      db
        .selectFrom("npm_packages as p")
        .innerJoin("npm_versions as w", "w.package_id", "p.id")
        .where("p.name", "=", name)
        .select("w.id")
        .orderBy("w.id", "desc"),
      { skip, take },
    );
    return db
      .selectFrom(shown.as("shown"))
      .innerJoin("npm_versions as v", "v.id", "shown.id")
      .select(["v.version", "v.published_at", "v.downloads", "v.unpacked_size", "v.deprecated"])
      .orderBy("v.id", "desc");
  },
);

export function createNpmHistory({ queries }: Pick<PortContext, "queries">): NpmHistory {
  return {
    async summary(name) {
      const row = await queries.one(PACKAGE, { name });
      if (!row) return undefined;
      const key = { packageId: row.id };
      const versionCount = (await queries.one(COUNT, key))?.versions ?? 0;
      if (versionCount === 0) return undefined;
      return { ...summaryOf(row, await queries.all(TAGS, key)), versionCount };
    },
    async version(name, version) {
      const row = await queries.one(VERSION, { name, version });
      return (
        row && {
          ...versionOf(row),
          publishedBy: row.published_by,
          downloads: row.downloads,
          size: row.size,
        }
      );
    },
    newest: async (name, { from, size }) =>
      (await queries.all(NEWEST, { name, skip: from, take: size })).map(lineOf),
  };
}

function lineOf({ deprecated, ...row }: RowOf<typeof NEWEST>): NpmVersionLine {
  return {
    version: row.version,
    publishedAt: row.published_at,
    downloads: row.downloads,
    unpackedSize: row.unpacked_size,
    ...(deprecated !== null && { deprecated }),
  };
}
