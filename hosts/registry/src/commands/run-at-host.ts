import { VERSION } from "../version.ts";
import type { HostContext } from "./host-command.ts";
import { writtenSettings } from "./settings-fingerprint.ts";

/** Runs a command at the host of its data folder. Undefined: no host has the same settings. */
export async function runAtRunningHost(
  args: readonly string[],
  context: HostContext,
): Promise<number | undefined> {
  const { env, workingFolder, extensions, now } = context;
  // A program with its own clock or extensions is not the host that runs.
  if (now !== undefined || extensions.length > 0) return undefined;
  const { dataPath, fingerprint, words } = writtenSettings({ args, env, workingFolder });
  if (words.length === 0 || words[0] === "serve") return undefined;
  const { runAtHost } = await import("@sealhouse/command-line/running");
  return runAtHost(words, context, { dataPath, version: VERSION, settings: fingerprint });
}
