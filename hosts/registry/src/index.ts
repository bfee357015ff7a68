export type { Extension } from "./extension.ts";
export { createLog } from "./log.ts";
export type { Log } from "./log.ts";
export { openRegistry } from "./registry.ts";
export type { Registry, RegistryOptions } from "./registry.ts";
export type { Config } from "./settings/config.ts";
export { ConfigError, loadConfig } from "./settings/load.ts";
export type { LoadedConfig, LoadOptions } from "./settings/load.ts";
