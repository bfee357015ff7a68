import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Waits for the lock of a file that processes share. The system releases the lock when its holder
 * ends.
 */
export async function openFileLock(path: string): Promise<AsyncDisposable> {
  const holder = spawn("flock", [path, "sh", "-c", "echo locked; cat >/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(holder, "close");
  const [first] = await Promise.race([once(holder.stdout, "data"), closed]);
  if (String(first).trim() !== "locked") throw new Error(`${path} cannot be locked`);
  return {
    async [Symbol.asyncDispose]() {
      holder.stdin.end();
      await closed;
    },
  };
}
