import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import type { HostProcess } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

const CREATE = ["token", "create", "--name", "laptop"];
const TOKEN_ONLY = /^\S+\n$/;
let host: HostProcess;

beforeAll(async () => {
  host = await spawnHost();
});
afterAll(() => host[Symbol.asyncDispose]());

test("names the database, and does not warn while a host uses the same one", async () => {
  const { code, stdout, stderr } = await host.cli(...CREATE);
  expect(code).toBe(0);
  expect(stdout).toMatch(TOKEN_ONLY);
  expect(stderr).toContain(`Database: The SQLite file "${host.folder}/`);
  expect(stderr).not.toContain("Warning");
});

test("warns when the running host uses another database", async () => {
  await using other = await openFolder();
  const { code, stdout, stderr } = await spawnCli(CREATE, { folder: other.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(TOKEN_ONLY);
  expect(stderr).toContain(`Database: The SQLite file "${other.path}/`);
  expect(stderr).toContain(
    `Warning: the registry that runs as process ${host.pid} uses another database: ` +
      `The SQLite file "${host.folder}/`,
  );
  expect(stderr).toContain(`Run the command in ${host.folder}, with the environment variables`);
  const headers = { "x-nuget-apikey": stdout.trim() };
  const refused = await host.fetch("/api/v2/package/", { method: "PUT", headers });
  expect(refused.status).toBe(403);
});

test("a host that has ended, also by SIGKILL, is not warned about", async () => {
  await using ended = await spawnHost();
  await ended.kill();
  await using other = await openFolder();
  const { stderr } = await spawnCli(CREATE, { folder: other.path });
  expect(stderr).not.toContain(`process ${ended.pid} `);
});

const PEPPER = "3f9c1d7be25a48069ec4d2a17b60f5839c1d7be25a48069e";

/** The program of this clone. */
const SEALHOUSE = fileURLToPath(new URL("../../../sealhouse", import.meta.url));

async function runInShell(line: string, cwd: string) {
  const own = Object.entries(process.env).filter(([name]) => !/__|^(?:ASPNET|SEALH)/.test(name));
  const env = Object.fromEntries(own);
  const shell = spawn("sh", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(shell, "close");
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  return { code: Number((await exited)[0]), stdout, stderr };
}

test.runIf(process.platform === "linux")(
  "the command of the front page makes a token that the host accepts",
  { timeout: 120_000 },
  async () => {
    const closed = { Feed__Authentication__AllowAnonymousPull: "false" };
    await using own = await spawnHost({ env: { ...closed, Host__TokenHashPepper: PEPPER } });
    await using elsewhere = await openFolder();
    const accept = { accept: "text/html" };
    const page = await (await own.fetch("/", { headers: accept })).text();
    const proxied = { ...accept, "x-forwarded-for": "192.0.2.1" };
    const remote = await (await own.fetch("/", { headers: proxied })).text();
    expect(remote).toContain("returnUrl=%2Faccount%2Ftokens");
    expect(remote).not.toMatch(/token create|settings-of/);
    const shown = page.replaceAll(/<[^>]*>/g, "");
    const [line = ""] = /\S*sealhouse .*token create .*/.exec(shown) ?? [];
    expect(line).toBe(
      `${SEALHOUSE} --settings-of=${own.pid} token create --name laptop --scopes read,write`,
    );
    const { code, stdout, stderr } = await runInShell(line, elsewhere.path);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("Warning");
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await own.fetch("/v3/search?q=", { headers })).status).toBe(200);
    expect((await own.fetch("/v3/search?q=")).status).toBe(401);
  },
);

test("refuses to make a token that a running host of the database would refuse", async () => {
  const { length } = (await host.cli("token", "list")).stdout.split("\n");
  const env = { Host__TokenHashPepper: PEPPER };
  const { code, stdout, stderr } = await spawnCli(CREATE, { folder: host.folder, env });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    `The registry that runs as process ${host.pid} uses the same database with another ` +
      `Host__TokenHashPepper, so it would refuse the token. Run the command in ${host.folder}, `,
  );
  expect((await host.cli("token", "list")).stdout.split("\n")).toHaveLength(length);
});

test.runIf(process.platform === "linux").each([
  ["--settings-of=soon", /Write --settings-of=PID/],
  [`--settings-of=${process.pid}`, /is not a registry of this installation/],
  ["--settings-of=999999999", /No registry runs as process 999999999/],
])("refuses %s with the reason", async (option, reason) => {
  const { code, stderr } = await spawnCli([option, "token", "list"], { folder: host.folder });
  expect(code).toBe(1);
  expect(stderr).toMatch(reason);
});
