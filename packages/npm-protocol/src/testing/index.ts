export { buildPaxEntry, buildTarball, buildTarEntry } from "./build-tarball.ts";
export type { TarballWish, TarEntryWish } from "./build-tarball.ts";
export { createMemoryNpmPorts } from "./memory-ports.ts";
export type { MemoryNpmPorts } from "./memory-ports.ts";
export { npmPortsContract } from "./ports-contract.ts";
export type { NpmCatalog } from "./contract-fixtures.ts";
export type { NpmPortsTest } from "./ports-contract.ts";
export { publishBody } from "./publish-body.ts";
export type { PublishWish } from "./publish-body.ts";
