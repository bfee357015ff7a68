import type { SharedMigration } from "../shared-migration.ts";

/** Expressions that the databases spell differently. */
type Spelling = {
  readonly issuer: string;
  readonly list: (column: string) => string;
  readonly yes: string;
};

/**
 * Copies the trusted publishers of npm. The old rows stay, because instances of the version before
 * still read them during an upgrade.
 */
function copy({ issuer, list, yes }: Spelling): readonly string[] {
  return [
    `insert into host_publish_policies (id, provider, issuer, claims, created_by, protocols,
      patterns, scopes, life_seconds, may_create, events, state, created_at)
      select id, provider, ${issuer}, claims, created_by, ${list("protocol")},
      ${list("package_name")},
      replace(replace(permissions, 'createPackage', 'publish'), 'createStagedPackage', 'stage'),
      900, ${yes}, '[]', 'active', created_at from trusted_publishers
      where id not in (select id from host_publish_policies)`,
  ];
}

const joined = (column: string) => `'["' || ${column} || '"]'`;
const concatenated = (column: string) => `concat('["', ${column}, '"]')`;

export const Migration20261126150500_publish_policies: SharedMigration = {
  name: "Migration20261126150500_publish_policies",
  up: {
    sqlite: copy({ issuer: "json_extract(claims, '$.iss')", list: joined, yes: "1" }),
    postgresql: copy({ issuer: "claims::json->>'iss'", list: joined, yes: "true" }),
    mysql: copy({
      issuer: "json_unquote(json_extract(claims, '$.iss'))",
      list: concatenated,
      yes: "1",
    }),
    mssql: copy({ issuer: "json_value(claims, '$.iss')", list: concatenated, yes: "1" }),
  },
  down: { sqlite: [], postgresql: [], mysql: [], mssql: [] },
};
