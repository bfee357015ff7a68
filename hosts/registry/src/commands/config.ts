import { showSettings } from "../settings/show.ts";
import { settingsTable } from "../settings/table.ts";
import type { Command } from "./run.ts";

/** Problems end it with the same words and exit code as they end a start. */
export function checkConfig({ load, print, tell }: Command): number {
  const { config, warnings } = load();
  for (const warning of warnings) tell(`Warning: ${warning}`);
  print(`The configuration for ${config.environment} is good.`);
  return 0;
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
