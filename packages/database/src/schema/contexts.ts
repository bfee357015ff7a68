/** The two MikroORM contexts. They share one connection; each has its own migrations table. */
export const CONTEXTS = ["catalog", "identity"] as const;
export type Context = (typeof CONTEXTS)[number];

export const MIGRATIONS_TABLE: Readonly<Record<Context, string>> = {
  catalog: "sealhouse_migrations",
  identity: "sealhouse_identity_migrations",
};

/** Where a migration stands that cannot be one transaction; empty between migrations. */
export const MIGRATION_STEPS_TABLE = "sealhouse_migration_steps";
