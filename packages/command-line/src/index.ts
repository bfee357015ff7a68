export { linesOfKeys } from "./access/keys.ts";
export { CommandError } from "./command.ts";
export type { Command, Json, ProcessContext } from "./command.ts";
export type { Config } from "./config.ts";
export { operator } from "./operator.ts";
export type {
  CommandMirror,
  NamedStore,
  RegistryParts,
  RegistryResources,
  RunningHost,
  RunningHosts,
} from "./ports.ts";
export { runProgram } from "./program.ts";
export type { HostCommands } from "./program.ts";
