import { hasKeys } from "@sealhouse/identity";
import type { Config } from "../settings/config.ts";
import { showSettings } from "../settings/show.ts";
import { settingsTable } from "../settings/table.ts";
import { unsetKeyRing } from "../wiring/holdings.ts";
import { openBundleVerification } from "../wiring/npm-provenance.ts";
import { signingProblems } from "./config-signing.ts";
import type { Command } from "./run.ts";

const NOT_NOW = 1;

/** Problems end it with the same words and exit code as they end a start. What the host starts
 * without, such as a key service that is out, ends it with 1. */
export async function checkConfig(command: Command): Promise<number> {
  const { load, print, tell } = command;
  const { config, warnings } = load();
  const { npm } = config.feed;
  for (const warning of warnings) tell(`Warning: ${warning}`);
  for (const warning of await keyRingWarnings(config)) tell(`Warning: ${warning}`);
  await openBundleVerification(npm.enabled ? npm.trustedRoot : undefined);
  const problems = await signingProblems(command);
  for (const problem of problems) tell(problem);
  if (problems.length > 0) return NOT_NOW;
  print(`The configuration for ${config.environment} is good.`);
  return 0;
}

async function keyRingWarnings({ development, host }: Config): Promise<readonly string[]> {
  const { path, isDefault } = host.keyRing;
  if (development) return [];
  return [
    ...(isDefault ? [unsetKeyRing(path)] : []),
    ...((await hasKeys(path)) ? [] : [`The key ring ${path} holds no key; serve makes a new one.`]),
  ];
}

export function showConfig(
  { load, print, extensions }: Command,
  { json = false }: { readonly json?: boolean },
): number {
  const { entries } = load();
  const shown = showSettings(entries, settingsTable(extensions));
  if (json) {
    print(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  for (const { key, value, source } of shown) print(`${key} = ${value ?? ""}  (${source})`);
  return 0;
}
