import { existsSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { splitArguments } from "./commands/setting-arguments.ts";

// `--settings-of=PID` runs a command with the settings of a running registry: its environment, the
// settings on its command line, and its folder. Linux has them in /proc, for the same user only.

const OPTION = /^--settings-of(?:=(?<pid>.*))?$/;
/** The programs of this installation: a command may run from source, and its host compiled. */
const MAINS = ["src/main.ts", "dist/main.js"].map((path) =>
  join(realpathSync(fileURLToPath(new URL("..", import.meta.url))), path),
);

type Environment = Readonly<Record<string, string | undefined>>;

/** Arguments, environment and folder of a command. */
export type Invocation = {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly workingFolder: string;
};

/** Whether this system has the settings of a running process. */
export function hasSettingsOfProcesses(): boolean {
  return existsSync("/proc/self/environ");
}

/** The option that makes a command use the settings of the process `pid`. */
export function settingsOfOption(pid: number): string {
  return `--settings-of=${pid}`;
}

/** The same invocation with the settings of the registry that `--settings-of` names, or the
 * reason why there are none. */
export function withSettingsOf(invocation: Invocation): Invocation | string {
  const option = invocation.args.find((word) => OPTION.test(word));
  if (option === undefined) return invocation;
  const pid = OPTION.exec(option)?.groups?.["pid"] ?? "";
  if (!/^\d+$/.test(pid)) return "Write --settings-of=PID with the process id of a registry.";
  if (!hasSettingsOfProcesses()) {
    return "--settings-of works on Linux only; use the environment variables of the registry.";
  }
  try {
    const words = readList(pid, "cmdline");
    const workingFolder = readlinkSync(`/proc/${pid}/cwd`);
    const main = words.findIndex((word) => isMain(resolve(workingFolder, word)));
    if (main < 0) return `Process ${pid} is not a registry of this installation.`;
    const { settings } = splitArguments(words.slice(main + 1));
    const own = invocation.args.filter((word) => word !== option);
    return {
      args: [...settings.map(({ key, text }) => `--${key}=${text}`), ...own],
      env: Object.fromEntries(readList(pid, "environ").map(variableOf)),
      workingFolder,
    };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return `No registry runs as process ${pid}.`;
    const reason = error instanceof Error ? error.message : String(error);
    return `The settings of process ${pid} cannot be read; run this as its user: ${reason}`;
  }
}

function readList(pid: string, name: "cmdline" | "environ"): readonly string[] {
  return readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0").filter(Boolean);
}

function variableOf(text: string): [name: string, value: string] {
  const end = text.indexOf("=");
  return [text.slice(0, end), text.slice(end + 1)];
}

/** An installed program is started by a link to it. */
function isMain(path: string): boolean {
  return MAINS.includes(existsSync(path) ? realpathSync(path) : path);
}
