import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, Socket } from "node:net";
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

export type ServerProcess = {
  /** Ends the server at once, and removes its folder. */
  end(): Promise<void>;
};

type ServerCommand = {
  readonly program: string;
  readonly args: readonly string[];
  /** Removed with all that it contains when the server ends. */
  readonly folder: string;
  /** The signal at which the program ends at once, its own processes included. */
  readonly signal: "QUIT" | "KILL";
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
};

/**
 * Starts a server below a shell that waits for the end of its standard input. It comes with the end
 * of this process as well, however that ends, so that no server and no folder is left.
 */
export function startServer({ program, args, folder, signal, user }: ServerCommand): ServerProcess {
  const end = `kill -${signal} $!; wait $!; rm -rf "$folder"`;
  const script = `folder=$1; shift; "$@" & read -r _; ${end}`;
  const shell = spawn("sh", ["-c", script, "sh", folder, program, ...args], {
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
    ...user,
  });
  const ended = once(shell, "exit");
  // Tests that are done do not wait for their servers.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return {
    async end() {
      shell.stdin.end();
      await ended;
    },
  };
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
