import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const WORKSPACE = fileURLToPath(new URL("../../../pnpm-workspace.yaml", import.meta.url));

/** The command that starts this installation's command line: in a clone, by npx, or installed. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  if (existsSync(WORKSPACE)) return "npx pnpm@12 sealhouse";
  return env["npm_command"] === "exec" ? "npx @sealhouse/registry" : "sealhouse";
}
