import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientEnvironment, openFolder, run } from "./clients/client.ts";
import { readManual, textsOf } from "./manual-page.ts";

// Runs the commands of README.md in a clone without packages, with an npm that has never fetched
// anything: at a terminal, where npx could ask a question, and without one.

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const INSTALL_MS = 240_000;
/** Without Node itself, which has 189. Counts files that pnpm links or copies alike; zod has 8. */
const MEGABYTES_MAX = 212;
const ONLY_FOR_TESTS = /^(?:vitest|typescript|turbo|playwright-core|verdaccio|bun|deno|oxlint)@/;
const CTRL_C = "\u0003";
const [SERVE = "", CREATE_TOKEN = ""] = textsOf(await readManual("../../../README.md"), "sh");

const opened = new AsyncDisposableStack();
let folder: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = opened.use(await openFolder()).path;
  const npm_config_cache = opened.use(await openFolder()).path;
  env = { npm_config_cache, ASPNETCORE_URLS: "http://127.0.0.1:0" };
  const tracked = await run("git", ["ls-files", "-z"], { cwd: ROOT });
  for (const file of tracked.stdout.split("\0").filter((path) => path !== "")) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
});
afterAll(() => opened.disposeAsync());

/**
 * Runs a line at a terminal, as a person does. With `exec`, because dash, unlike bash, waits for the
 * last command as well, and then ends with its own 130 after Ctrl-C.
 */
function openTerminal(line: string) {
  const terminal = spawn("script", ["-qec", `exec ${line}`, "/dev/null"], {
    cwd: folder,
    env: { ...clientEnvironment(), ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(terminal, "exit");
  let output = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return {
    /** Waits for a text and returns its first group. */
    async find(pattern: RegExp): Promise<string> {
      const search = () => pattern.exec(output)?.[1];
      await vi.waitUntil(() => search() !== undefined || terminal.exitCode !== null, {
        timeout: INSTALL_MS,
        interval: 100,
      });
      return search() ?? expect.fail(`no ${String(pattern)} in: ${output}`);
    },
    async end(keys = "") {
      terminal.stdin.write(keys);
      const [code] = (await exited) as [number | null];
      return { code, output };
    },
  };
}

test(
  "the commands of the README and of the host work as printed",
  async () => {
    const host = openTerminal(SERVE);
    const address = await host.find(/listening urls=\["(http:[^"]+)"\]/);
    const shown = await host.find(/^ *(\S*sealhouse.* token create .*?)\r?$/m);

    const created = [
      (await openTerminal(CREATE_TOKEN).end()).output,
      (await run("sh", ["-c", shown], { cwd: folder, env })).stdout,
    ];
    for (const text of created) {
      const [token] = /shp_\w+/.exec(text) ?? [];
      expect(token, text).toBeDefined();
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${address}/npm/-/whoami`, { headers })).status).toBe(200);
    }
    const { code, output } = await host.end(CTRL_C);
    expect(output).not.toMatch(/Ok to proceed|\(y\)/);
    expect([code, output]).toEqual([0, expect.stringContaining("stopped")]);
  },
  INSTALL_MS,
);

test("a start installs what the host needs once, and nothing for tests", async () => {
  const packages = await readdir(join(folder, "node_modules/.pnpm"));
  expect(packages).not.toEqual([]);
  expect(packages.filter((name) => ONLY_FOR_TESTS.test(name))).toEqual([]);
  const size = await run("du", ["-sml", "--exclude=node@*", "--exclude=.cache", folder]);
  expect(Number.parseInt(size.stdout, 10), await largestParts()).toBeLessThan(MEGABYTES_MAX);
  const check = await run("./sealhouse", ["config", "check"], { cwd: folder, env });
  expect(check.code, check.output).toBe(0);
  expect(check.stdout).toContain("The configuration for Development is valid.\n");
  expect(check.output).not.toContain("dependencies:");
});

/** The folders of 4 MiB and more, for a failed test: installations differ by machine and time. */
async function largestParts(): Promise<string> {
  const { stdout } = await run("du", ["-m", "--threshold=4M", "--exclude=node@*", folder]);
  return stdout.replaceAll(folder, "");
}

test("the test command of the README asks nothing at a terminal; CI runs the same", async () => {
  const [command = ""] = textsOf(await readManual("../../../README.md"), "sh").slice(-1);
  expect(await readFile(join(ROOT, ".ci/run"), "utf8")).toContain(`\nexec ${command}`);
  const pnpm = command.trim().replace(/ test$/, "");
  const { code, output } = await openTerminal(`${pnpm} --version`).end();
  expect([code, output]).toEqual([0, expect.stringContaining(pnpm.replace(/^.*@/, ""))]);
  expect(output).not.toContain("Ok to proceed");
});
