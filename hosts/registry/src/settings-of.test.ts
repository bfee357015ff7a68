import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withSettingsOf } from "./settings-of.ts";

/** A process with the command line of a host that runs from `main`. */
async function startLikeHost(main: string) {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), "sealhouse-settings-of-")));
  const path = relative(folder, fileURLToPath(new URL(`../${main}`, import.meta.url)));
  const code = "console.log('ready'); setInterval(() => undefined, 1000);";
  const child = spawn(
    process.execPath,
    ["-e", code, "--", path, "serve", "--Feed:Name=acme", "--Host:DataPath", "./own data"],
    {
      cwd: folder,
      env: { Host__TokenHashPepper: "a=b c" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  return {
    folder,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

test.runIf(process.platform === "linux").each(["src/main.ts", "dist/main.js"])(
  "takes environment, settings and folder of a host that runs from %s",
  async (main) => {
    await using host = await startLikeHost(main);
    const args = ["token", `--settings-of=${host.pid}`, "list"];
    const own = { args, env: { Feed__Name: "other" }, workingFolder: "/" };
    expect(withSettingsOf(own)).toEqual({
      args: ["--Feed:Name=acme", "--Host:DataPath=./own data", "token", "list"],
      env: { Host__TokenHashPepper: "a=b c" },
      workingFolder: host.folder,
    });
  },
);

test("changes nothing without the option", () => {
  const own = { args: ["serve"], env: {}, workingFolder: "/" };
  expect(withSettingsOf(own)).toBe(own);
});
