import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

const CREATE = ["token", "create", "--name", "laptop"];
const TOKEN_ONLY = /^\S+\n$/;
let host: TestHost;

beforeAll(async () => {
  host = await startHost();
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
  const { code, stdout, stderr } = await runCli(CREATE, { folder: other.path });
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
  await using ended = await startHost();
  await ended.kill();
  await using other = await openFolder();
  const { stderr } = await runCli(CREATE, { folder: other.path });
  expect(stderr).not.toContain(`process ${ended.pid} `);
});
