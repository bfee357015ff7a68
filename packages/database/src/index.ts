export type { BlobIndex } from "./blobs/blob-index.ts";
export { parseConnectionString } from "./connection-string.ts";
export type {
  DatabaseConfig,
  MysqlConfig,
  PostgresConfig,
  SqlServerConfig,
  SqliteConfig,
} from "./connection-string.ts";
export type { ServerPlace, SqlServerPlace, SslMode } from "./server-place.ts";
export type { CertificateRetirement, Database, DatabaseEvents, SealReplacer } from "./database.ts";
export type { DatabaseOptions } from "./database-options.ts";
export type { DownloadCount, Downloads } from "./downloads.ts";
export {
  ConnectionStringError,
  DatabaseUnavailableError,
  DriverMissingError,
  RetiredCertificateError,
  SchemaMismatchError,
  TrialDatabaseError,
  UnexpectedRowError,
} from "./errors.ts";
export type { DatabaseUnavailability } from "./errors.ts";
export type { History, HistoryEntry, HistoryQuery } from "./history/history-log.ts";
export { futureTimesJob } from "./future-times/future-times-job.ts";
export type { HistoryKind } from "./history/history-kinds.ts";
export type { HiddenByProtocol, LatestPackage } from "./latest-packages.ts";
export type { SealedFile } from "./signing/replace-seal.ts";
export type { Retirement } from "./signing/retire-certificate.ts";
export type { SealedVersion, SealedVersions } from "./signing/sealed-versions.ts";
export { openDatabase } from "./open-database.ts";
export { placeOf } from "./place.ts";
export { copyDatabase } from "./copy/copy-database.ts";
export type { CopiedRows } from "./copy/copy-database.ts";
export { awaitDatabase } from "./await-database.ts";
export type { DatabasePatience } from "./await-database.ts";
export { CopyError } from "./copy/copy-error.ts";
export { checkDatabase, migrateDatabase, pendingMigrations } from "./schema/migrate-database.ts";
export { downloadCountsJob, openDownloadCounts } from "./download-counts.ts";
export type { DownloadCounts } from "./download-counts.ts";
