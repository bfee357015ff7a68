import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openFolder } from "./clients/client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SLOW = { timeout: 120_000 };
const SOON = { timeout: 50_000, interval: 100 };

test("pnpm dev restarts the host when a module changes that it has loaded", SLOW, async () => {
  await using folder = await openFolder();
  const extension = join(folder.path, "extension.mjs");
  const write = (name: string) =>
    writeFile(extension, `export const extension = { name: "${name}", storageTypes: {} };\n`);
  await write("first");
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: { readonly dev: string };
  };
  const [program, ...args] = manifest.scripts.dev.split(" ");
  expect(program).toBe("node");
  const host = spawn(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      ASPNETCORE_URLS: "http://127.0.0.1:0",
      Host__DataPath: join(folder.path, "data"),
      Host__Extensions__0: extension,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(host, "exit");
  let output = "";
  host.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const starts = () => output.match(/listening urls=/g)?.length ?? 0;
  try {
    await expect.poll(starts, SOON).toBe(1);
    await write("second");
    await expect.poll(starts, SOON).toBe(2);
    expect(output).toMatch(/stopped[^]*listening/);
    const address = /.*urls=\["([^"]+)"\]/s.exec(output)?.[1];
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
  } finally {
    host.kill("SIGTERM");
    await exited;
  }
});
