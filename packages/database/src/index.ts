export type { BlobIndex } from "./blobs/blob-index.ts";
export { parseConnectionString } from "./connection-string.ts";
export type {
  DatabaseConfig,
  MysqlConfig,
  PostgresConfig,
  ServerPlace,
  SqliteConfig,
  SslMode,
} from "./connection-string.ts";
export type { Database, DatabaseEvents, DatabaseOptions } from "./database.ts";
export type { DownloadCount, Downloads } from "./downloads.ts";
export {
  ConnectionStringError,
  DatabaseUnavailableError,
  SchemaMismatchError,
  UnexpectedRowError,
} from "./errors.ts";
export type { LatestPackage } from "./latest-packages.ts";
export type { Leases } from "./leases.ts";
export { openDatabase } from "./open-database.ts";
export { migrateDatabase } from "./schema/ensure-schema.ts";
