import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { hasClient, run } from "./client.ts";

/** Contains PSResourceGet. Kept between runs, in a folder for each version. */
const VERSION = "7.6.10";
const FOLDER = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "sealhouse-tests",
  `powershell-${VERSION}`,
);
const INSTALL_WITHIN_MS = 180_000;

/**
 * Path of PowerShell, which `dotnet tool install` downloads once with the sources of this machine.
 * Undefined, with a prominent line, when that is impossible.
 */
export async function findPowerShell(): Promise<string | undefined> {
  if (!hasClient("dotnet")) return undefined;
  const program = join(FOLDER, process.platform === "win32" ? "pwsh.exe" : "pwsh");
  if (existsSync(program)) return program;
  await mkdir(FOLDER, { recursive: true });
  const install = ["tool", "install", "PowerShell", "--version", VERSION, "--tool-path", FOLDER];
  const { output } = await run("dotnet", install, { timeoutMs: INSTALL_WITHIN_MS });
  if (existsSync(program)) return program;
  const reason = output.trim().split("\n").at(-1) ?? "";
  process.stderr.write(`\nSKIPPED: PowerShell could not be installed: ${reason}\n\n`);
  return undefined;
}
