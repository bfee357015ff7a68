export { fillCatalog } from "./fill-catalog.ts";
export type { CatalogSizes } from "./fill-catalog.ts";
export { fillImages } from "./fill-images.ts";
export type { ImageSizes } from "./fill-images.ts";
export { fillNpmCatalog } from "./fill-npm-catalog.ts";
export { openHeldReleases } from "./held-releases.ts";
export type { HeldReleases } from "./held-releases.ts";
export { madeUpNpmWords, npmPackages } from "./made-up-npm-packages.ts";
export { madeUpId, madeUpQuestions } from "./made-up-packages.ts";
export { mariadbServer, startMariadb } from "./mariadb.ts";
export type { TestMariaDb } from "./mariadb.ts";
export { copyMigratedSqlite } from "./migrated-file.ts";
export {
  openTestDatabase,
  openTestPlace,
  leaveTestServers,
  testableDatabases,
} from "./open-test-database.ts";
export type { TestDatabaseOptions, TestPlace } from "./open-test-database.ts";
export { openSqliteFile } from "./open-sqlite-file.ts";
export type { OpenSqliteFile, SqliteStatement } from "./open-sqlite-file.ts";
export { openTestOwners } from "./open-test-owners.ts";
export type { TestOwners } from "./open-test-owners.ts";
export { postgresBinaries, startPostgres } from "./postgres.ts";
export type { TestCluster } from "./postgres.ts";
export { openWriteSessions } from "./write-sessions.ts";
export type { WriteSessions } from "./write-sessions.ts";
