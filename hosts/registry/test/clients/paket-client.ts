import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { hasClient, run } from "./client.ts";

/** Kept between runs. A folder for each version, so that an update is one line here. */
const VERSION = "12.0.0";
const FOLDER = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "sealhouse-tests",
  `paket-${VERSION}`,
);
const INSTALL_WITHIN_MS = 180_000;

/**
 * Path of Paket, which `dotnet tool install` downloads once with the sources of this machine.
 * Undefined, with a prominent line, when that is impossible.
 */
export async function findPaket(): Promise<string | undefined> {
  if (!hasClient("dotnet")) return undefined;
  const program = join(FOLDER, process.platform === "win32" ? "paket.exe" : "paket");
  if (existsSync(program)) return program;
  await mkdir(FOLDER, { recursive: true });
  const install = ["tool", "install", "paket", "--version", VERSION, "--tool-path", FOLDER];
  const { output } = await run("dotnet", install, { timeoutMs: INSTALL_WITHIN_MS });
  if (existsSync(program)) return program;
  const reason = output.trim().split("\n").at(-1) ?? "";
  process.stderr.write(`\nSKIPPED: Paket could not be installed: ${reason}\n\n`);
  return undefined;
}
