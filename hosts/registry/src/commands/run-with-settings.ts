import type { ExtensionOptions as ConfigOptions } from "@sealhouse/settings";
import { loadExtensions } from "../settings/extensions.ts";
import { ConfigError, loadConfig } from "../settings/load.ts";
import type { LoadedConfig } from "../settings/load.ts";
import { endOnStop } from "./end-on-stop.ts";
import type { HostCommand, HostContext } from "./host-command.ts";
import { splitArguments } from "./setting-arguments.ts";

/** Runs one command line with the settings of this process. Resolves to the exit code. */
export async function runWithSettings(
  args: readonly string[],
  surroundings: HostContext,
): Promise<number> {
  const { settings, rest, problems } = splitArguments(args);
  const { env, workingFolder } = surroundings;
  const loadedExtensions = await loadExtensions({ env, args: settings, workingFolder });
  const extensions = [...surroundings.extensions, ...loadedExtensions];
  const load = (options: ConfigOptions = {}): LoadedConfig => {
    if (problems.length > 0) throw new ConfigError(problems);
    return loadConfig({ env, args: settings, workingFolder, extensions, ...options });
  };
  const command: HostCommand = { ...surroundings, args, extensions, load };
  if (rest.length === 0 || (rest.length === 1 && rest[0] === "serve")) {
    const { serve } = await import("./serve.ts");
    return await serve(command);
  }
  const { runCommand } = await import("./run-command.ts");
  return await endOnStop(runCommand(rest, command), command.stop);
}
