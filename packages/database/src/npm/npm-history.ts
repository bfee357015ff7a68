import type { NpmHistory, NpmVersionLine } from "@sealhouse/npm-protocol";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf, timeOf } from "../raw/row.ts";
import { PACKAGE, SHOWN_SIGNATURES, summaryOf, TAGS, versionOf } from "./npm-lookup.ts";

/** Uses only an index. Summing downloads would read the long texts of every row. */
const COUNT: Statement = {
  name: "npm-version-count",
  sql: "select count(*) as versions from npm_versions where package_id = ?",
};
const VERSION: Statement = {
  name: "npm-version",
  sql: `select v.version, v.manifest, v.abbreviated, v.integrity, v.shasum, v.file_count,
      v.unpacked_size, v.published_at, v.published_by, v.deprecated, v.downloads, b.size,
      ${SHOWN_SIGNATURES} as signatures
    from npm_packages p
    join npm_versions v on v.package_id = p.id
    join blobs b on b.id = v.blob_id
    where p.name = ? and v.version = ?`,
};
/** Finds the rows of a page in an index, without reading the texts of other versions. */
const NEWEST: Statement = {
  name: "npm-versions-newest",
  sql: `select v.version, v.published_at, v.downloads, v.unpacked_size, v.deprecated
    from (select w.id from npm_packages p join npm_versions w on w.package_id = p.id
      where p.name = ? order by w.id desc limit ? offset ?) as shown
    join npm_versions v on v.id = shown.id order by v.id desc`,
};

export function createNpmHistory(port: QueryPort): NpmHistory {
  return {
    async summary(name) {
      const row = await port.one(PACKAGE, [name]);
      if (!row) return undefined;
      const id = [numberOf(row, "id")];
      const count = await port.one(COUNT, id);
      const versionCount = count ? numberOf(count, "versions") : 0;
      if (versionCount === 0) return undefined;
      return { ...summaryOf(row, await port.all(TAGS, id)), versionCount };
    },
    async version(name, version) {
      const row = await port.one(VERSION, [name, version]);
      return (
        row && {
          ...versionOf(row),
          publishedBy: textOf(row, "published_by"),
          downloads: numberOf(row, "downloads"),
          size: numberOf(row, "size"),
        }
      );
    },
    newest: async (name, { from, size }) =>
      (await port.all(NEWEST, [name, size, from])).map(lineOf),
  };
}

function lineOf(row: Row): NpmVersionLine {
  const deprecated = optionalTextOf(row, "deprecated");
  return {
    version: textOf(row, "version"),
    publishedAt: timeOf(row, "published_at"),
    downloads: numberOf(row, "downloads"),
    unpackedSize: numberOf(row, "unpacked_size"),
    ...(deprecated !== undefined && { deprecated }),
  };
}
