import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { errorCodeOf } from "@sealhouse/http-responses";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";

/** The place of the tokens that `sealhouse login` got. */
type Place = Pick<ProcessContext, "env">;

/** Only the owner of the file may read it. */
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** The file with the token of a registry. Each registry has another one. */
export function tokenFile(url: string, { env }: Place): string {
  const { XDG_CONFIG_HOME: configured = "", HOME: home = "" } = env;
  // Relative paths are not valid there (XDG Base Directory Specification).
  const base = isAbsolute(configured) ? configured : join(home || homedir(), ".config");
  const { hostname } = new URL(url);
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const name = `${hostname.replaceAll(/[^\w.-]/g, "")}-${hash}.json`;
  return join(base, "sealhouse", "tokens", name);
}

/**
 * Reads the token of a registry; undefined without one.
 *
 * @throws CommandError when others may read the file, or it is not valid
 */
export async function readToken(url: string, place: Place): Promise<string | undefined> {
  const path = tokenFile(url, place);
  try {
    const { mode } = await stat(path);
    // Windows has other permissions.
    if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
      throw new CommandError(`Others may read ${path}: chmod 600 ${path}`);
    }
    return tokenIn(await readFile(path, "utf8"), path);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function tokenIn(text: string, path: string): string {
  try {
    const { token } = JSON.parse(text) as { readonly token?: unknown };
    if (typeof token === "string" && token !== "") return token;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CommandError(`${path} has no token: delete it, and sign in again.`);
}

/** Writes the token of a registry into a file of its owner, and replaces a former one. */
export async function writeToken(url: string, token: string, place: Place): Promise<string> {
  const path = tokenFile(url, place);
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  const staged = `${path}.${randomUUID()}`;
  try {
    await using file = await open(staged, "wx", OWNER_ONLY);
    await file.writeFile(`${JSON.stringify({ registry: url, token })}\n`);
    await rename(staged, path);
    return path;
  } finally {
    await rm(staged, { force: true });
  }
}

/** Deletes the token of a registry. */
export async function deleteToken(url: string, place: Place): Promise<void> {
  await rm(tokenFile(url, place), { force: true });
}
