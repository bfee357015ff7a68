import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Server processes may not be root; Debian's packages bring a user for some. The first of `names`
 * that this machine has. */
export async function serverUser(
  ...names: readonly string[]
): Promise<{ uid: number; gid: number } | undefined> {
  if (userInfo().uid !== 0) return undefined;
  for (const name of names) {
    const [uid, gid] = await Promise.all([idOf(name, "-u"), idOf(name, "-g")]);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`There is no user ${names.join(" or ")} to start a database server as.`);
}

async function idOf(name: string, flag: "-u" | "-g"): Promise<number | undefined> {
  try {
    return Number((await run("id", [flag, name])).stdout);
  } catch {
    return undefined;
  }
}

/** Tries until a server that was just started takes a connection. */
export async function answers(connect: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await connect();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(50);
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}
