export { COMPILED_CODE } from "./compiled-code.ts";
export { databaseSettings } from "./database-settings.ts";
export { extendedDescribe, extendedTest, isExtended } from "./extended.ts";
export { spawnCli, spawnHost } from "./host-process.ts";
export type { HostProcess, ProcessOptions } from "./host-process.ts";
export type { Ran } from "./run-in-process.ts";
export { runInProcess } from "./run-in-process.ts";
export { runCli, startHost } from "./test-host.ts";
export type { CliResult, HostOptions, TestHost, TokenWanted } from "./test-host.ts";
