import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { splitArguments } from "./commands/setting-arguments.ts";
import { hasSettingsOfProcesses, settingsOfOption } from "./settings-of.ts";

/** The process that a command shall administer. */
export type HostProcess = Pick<NodeJS.Process, "env" | "argv" | "pid" | "cwd">;

/** Where this program runs. */
export type Installation = {
  /** The folder of the clone; undefined: an installed package. */
  readonly clone: string | undefined;
  /** Whether a command can read the settings of a process. */
  readonly readsSettings: boolean;
};

const HERE: Installation = { clone: cloneAround(), readsSettings: hasSettingsOfProcesses() };

/**
 * The command that administers this process. Its settings come from this process, unless a command
 * without settings has the same ones: that of a clone, which sets Development itself.
 */
export function ownCommand(
  own: HostProcess,
  { development }: { readonly development: boolean },
  { clone, readsSettings }: Installation = HERE,
): string {
  const name = commandName(own, clone);
  const hasSettings =
    Object.keys(own.env).some((key) => key.includes("__")) ||
    splitArguments(own.argv.slice(2)).settings.length > 0;
  if (development && !hasSettings && name === OF_CLONE) return name;
  if (readsSettings) return `${name} ${settingsOfOption(own.pid)}`;
  return development && clone === undefined ? `ASPNETCORE_ENVIRONMENT=Development ${name}` : name;
}

/** The program of a clone, from its folder. */
const OF_CLONE = "./sealhouse";

/** The command of this installation: in a clone, by npx, which asks without `-y`, or installed. */
function commandName({ env, cwd }: HostProcess, clone: string | undefined): string {
  if (clone !== undefined) return cwd() === clone ? OF_CLONE : inShell(join(clone, "sealhouse"));
  return env["npm_command"] === "exec" ? "npx -y @sealhouse/registry" : "sealhouse";
}

function cloneAround(): string | undefined {
  const root = fileURLToPath(new URL("../../../", import.meta.url)).replace(/[\\/]$/, "");
  return existsSync(join(root, "pnpm-workspace.yaml")) ? root : undefined;
}

function inShell(program: string): string {
  return /^[\w./-]+$/.test(program) ? program : `'${program.replaceAll("'", "'\\''")}'`;
}
