import { lstatSync } from "node:fs";
import type { Stats } from "node:fs";
import { Command as Program } from "commander";
import { areOfAction } from "../actions/program-actions.ts";
import { runActionProgram } from "../actions/run-action-program.ts";
import type { ProcessContext } from "../command.ts";
import { connectToHost } from "./host-connection.ts";
import { hostSocketOf } from "./host-socket-path.ts";
import type { Introduction } from "./lines.ts";

/** Commands about the settings of the command itself. */
const OF_SETTINGS: readonly (string | undefined)[] = ["config", "health"];

/**
 * Runs the command of an action at the host that runs on a data folder. Undefined: there is no host
 * with these settings, or the words are not those of an action.
 */
export async function runAtHost(
  words: readonly string[],
  context: ProcessContext,
  { dataPath, ...introduction }: Introduction & { readonly dataPath: string },
): Promise<number | undefined> {
  const path = hostSocketOf(dataPath);
  if (path === undefined || OF_SETTINGS.includes(words[0]) || !isOwnSocket(path)) return undefined;
  if (!(await areOfAction(words))) return undefined;
  const host = await connectToHost(path, introduction, context.stop);
  if (typeof host === "string") {
    context.stderr(
      `The host that runs has version ${host}, and this command ${introduction.version}: ` +
        "it works without that host.",
    );
  }
  if (typeof host !== "object") return undefined;
  await using _ = host;
  return await runActionProgram(new Program("sealhouse"), words, {
    context,
    version: introduction.version,
    open: async () => host,
  });
}

/** Another user must not answer commands; `root` may use each host. */
function isOwnSocket(path: string): boolean {
  const found = statOf(path);
  const own = process.getuid?.();
  return found?.isSocket() === true && (own === 0 || found.uid === own);
}

/** Undefined without a file, or where this user may not look: the command names the reason. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
