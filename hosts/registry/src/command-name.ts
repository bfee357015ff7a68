import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { splitArguments } from "./commands/setting-arguments.ts";
import { hasSettingsOfProcesses, settingsOfOption } from "./settings-of.ts";

const WORKSPACE = fileURLToPath(new URL("../../../pnpm-workspace.yaml", import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

/** The command that starts this installation's command line: in a clone, by npx, or installed. */
export function commandName(env: Environment): string {
  if (existsSync(WORKSPACE)) return "npx pnpm@12 sealhouse";
  return env["npm_command"] === "exec" ? "npx @sealhouse/registry" : "sealhouse";
}

/**
 * The command that administers this process. Its settings come from this process, unless a command
 * without settings has the same ones.
 */
export function ownCommand(
  { env, argv, pid }: Pick<NodeJS.Process, "env" | "argv" | "pid">,
  { development }: { readonly development: boolean },
): string {
  const isPlain =
    development &&
    !Object.keys(env).some((key) => key.includes("__")) &&
    splitArguments(argv.slice(2)).settings.length === 0;
  const name = commandName(env);
  return isPlain || !hasSettingsOfProcesses() ? name : `${name} ${settingsOfOption(pid)}`;
}
