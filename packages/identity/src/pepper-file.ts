import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** The source of the secret that token hashes depend on. */
export type PepperSource =
  | { readonly type: "given"; readonly value: string }
  /** Created at the first start, in a file that only its owner may read. */
  | { readonly type: "generated"; readonly path: string };

const PEPPER_BYTES = 48;

/** Returns the pepper. Processes that start together create one file, not several. */
export async function openPepper(pepper: PepperSource): Promise<string> {
  if (pepper.type === "given") return pepper.value;
  return (await readPepper(pepper.path)) ?? createPepper(pepper.path);
}

async function createPepper(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const staged = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const value = randomBytes(PEPPER_BYTES).toString("base64url");
  try {
    await using file = await open(staged, "wx", 0o600);
    await file.writeFile(`${value}\n`);
    await file.sync();
    await link(staged, path);
    return value;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    const winner = await readPepper(path);
    if (winner === undefined) throw error;
    return winner;
  } finally {
    await rm(staged, { force: true });
  }
}

async function readPepper(path: string): Promise<string | undefined> {
  try {
    const value = (await readFile(path, "utf8")).trim();
    if (value !== "") return value;
    throw new Error(`${path} is empty; restore the pepper, or delete the file and all tokens.`);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
