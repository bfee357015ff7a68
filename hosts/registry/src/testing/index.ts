export { COMPILED_CODE } from "./compiled-code.ts";
export { databaseSettings } from "./database-settings.ts";
export { runCli, startHost } from "./host-process.ts";
export type { CliResult, HostOptions, TestHost, TokenWanted } from "./host-process.ts";
export type { Ran } from "./run-in-process.ts";
export { runInProcess } from "./run-in-process.ts";
