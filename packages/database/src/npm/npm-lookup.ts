import type { NpmLookup, NpmPackage, NpmVersion, RegistrySignature } from "@sealhouse/npm-protocol";
import { isProvenance } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { accessOf, maintainersOf } from "./package-access.ts";

export const PACKAGE: Statement = {
  name: "npm-package",
  sql: `select id, name, revision, created_at, modified_at, readme, readme_filename,
      maintainers, access
    from npm_packages where name = ?`,
};
const PRESENT: Statement = {
  name: "npm-package-present",
  sql: "select id from npm_packages where name = ?",
  recall: "rows",
};
/** Signatures are hidden until every version has one and the key is published. */
export const SHOWN_SIGNATURES = `case when exists (select 1 from npm_signing_keys
  where announced_at is not null) then signatures end`;
const VERSIONS: Statement = {
  name: "npm-versions",
  sql: `select version, manifest, abbreviated, integrity, shasum, file_count, unpacked_size,
      published_at, deprecated, ${SHOWN_SIGNATURES} as signatures
    from npm_versions where package_id = ? order by id`,
};
export const TAGS: Statement = {
  name: "npm-tags",
  sql: `select t.tag, v.version from npm_tags t join npm_versions v on v.id = t.version_id
    where t.package_id = ? order by t.tag`,
};
const PROVENANCE: Statement = {
  name: "npm-provenance",
  sql: `select v.version, a.predicate_type
    from npm_versions v join npm_attestations a on a.version_id = v.id where v.package_id = ?`,
};
const TARBALL: Statement = {
  name: "npm-tarball",
  sql: `select b.storage_key, b.size, b.digest, b.damaged_at, v.integrity
    from npm_packages p
    join npm_versions v on v.package_id = p.id
    join blobs b on b.id = v.blob_id
    where p.name = ? and v.version = ? and b.state = 'live'`,
  recall: "rows",
};

export function createNpmLookup(port: QueryPort): NpmLookup {
  return {
    async find(name) {
      const row = await port.one(PACKAGE, [name]);
      if (!row) return undefined;
      const id = [numberOf(row, "id")];
      const [tags, versions] = [await port.all(TAGS, id), await port.all(VERSIONS, id)];
      const provenance = provenanceOf(await port.all(PROVENANCE, id));
      return packageOf(row, tags, { versions, provenance });
    },
    has: async (name) => (await port.one(PRESENT, [name])) !== undefined,
    async tarball(name, version) {
      const row = await port.one(TARBALL, [name, version]);
      return (
        row && {
          key: textOf(row, "storage_key"),
          size: numberOf(row, "size"),
          sha256: sha256Of(textOf(row, "digest")),
          ...(optionalTimeOf(row, "damaged_at") && { isDamaged: true }),
          integrity: textOf(row, "integrity"),
        }
      );
    },
  };
}

type Found = {
  readonly versions: readonly Row[];
  /** Predicate types by version. */
  readonly provenance: ReadonlyMap<string, string>;
};

function packageOf(row: Row, tags: readonly Row[], { versions, provenance }: Found): NpmPackage {
  return {
    ...summaryOf(row, tags),
    versions: versions.map((one) => versionOf(one, provenance)),
  };
}

export function summaryOf(row: Row, tags: readonly Row[]): Omit<NpmPackage, "versions"> {
  const readme = optionalTextOf(row, "readme");
  const readmeFilename = optionalTextOf(row, "readme_filename");
  const maintainers = maintainersOf(row);
  const access = accessOf(row);
  return {
    name: textOf(row, "name"),
    revision: numberOf(row, "revision"),
    createdAt: timeOf(row, "created_at"),
    modifiedAt: timeOf(row, "modified_at"),
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
    ...(maintainers && { maintainers }),
    ...(access && { access }),
    distTags: Object.fromEntries(tags.map((tag) => [textOf(tag, "tag"), textOf(tag, "version")])),
  };
}

function provenanceOf(rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map(
    rows
      .map((row) => [textOf(row, "version"), textOf(row, "predicate_type")] as const)
      .filter(([, predicateType]) => isProvenance({ predicateType })),
  );
}

export function versionOf(row: Row, provenances?: Found["provenance"]): NpmVersion {
  const provenance = provenances?.get(textOf(row, "version"));
  const deprecated = optionalTextOf(row, "deprecated");
  const signatures = signaturesOf(row);
  return {
    version: textOf(row, "version"),
    manifest: textOf(row, "manifest"),
    abbreviated: textOf(row, "abbreviated"),
    integrity: textOf(row, "integrity"),
    shasum: textOf(row, "shasum"),
    fileCount: numberOf(row, "file_count"),
    unpackedSize: numberOf(row, "unpacked_size"),
    publishedAt: timeOf(row, "published_at"),
    ...(deprecated !== undefined && { deprecated }),
    ...(signatures && { signatures }),
    ...(provenance !== undefined && { provenance }),
  };
}

function signaturesOf(row: Row): readonly RegistrySignature[] | undefined {
  const text = optionalTextOf(row, "signatures");
  return text === undefined ? undefined : (JSON.parse(text) as readonly RegistrySignature[]);
}
