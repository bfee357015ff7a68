import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { openFolder, run } from "./clients/client.ts";
import { parseIni, readPage, textsOf } from "./manual-page.ts";
import { push } from "./pushed-package.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PAGE = await readPage("../storage/own-driver.md");

/** Creates a folder with the module, and what `npm install` adds. */
async function openDriverFolder() {
  const opened = await openFolder();
  const scope = join(opened.path, "node_modules/@sealhouse");
  await mkdir(scope, { recursive: true });
  await symlink(join(ROOT, "packages/storage-providers"), join(scope, "storage-providers"));
  const module = join(ROOT, "docs/storage/examples/storage-sqlite.mjs");
  await cp(module, join(opened.path, "storage-sqlite.mjs"));
  return opened;
}

const settings = {
  ...parseIni(textsOf(PAGE, "ini").join("")),
  ASPNETCORE_URLS: "http://127.0.0.1:0",
};

test("the storage driver in the documentation passes the contract as printed", async () => {
  await using opened = await openDriverFolder();
  const [contract = ""] = textsOf(PAGE, "js");
  await writeFile(join(opened.path, "contract.test.mjs"), contract);
  const args = ["--conditions=@sealhouse/source", "--test", "contract.test.mjs"];
  const { code, output } = await run(process.execPath, args, { cwd: opened.path, env: {} });
  expect(output).toMatch(/pass [1-9]\d/);
  expect(output).toContain("fail 0");
  expect(code, output).toBe(0);
});

test("a host keeps its packages in the documented driver over a restart", async () => {
  await using opened = await openDriverFolder();
  const folder = opened.path;
  {
    await using host = await spawnHost({ folder, env: settings });
    const token = await host.makeToken({ scopes: "write" });
    expect((await push(host, "Acme.Stored", token)).status).toBe(201);
  }
  using database = new DatabaseSync(join(folder, "objects.db"), { readOnly: true });
  const rows = database.prepare("SELECT key FROM objects WHERE key LIKE 'nuget/blobs/%'").all();
  expect(rows).toHaveLength(1);
  await using again = await spawnHost({ folder, env: settings });
  const path = "/v3/package/acme.stored/1.0.0/acme.stored.1.0.0.nupkg";
  const answer = await fetch(`${again.url}${path}`);
  expect(answer.status).toBe(200);
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe("PK");
});

test.each([
  ["", /Storage__Sqlite__Path: is required/],
  ["storage-sqlite.mjs", /Storage__Sqlite__Path: .*storage-sqlite\.mjs is not a usable database/],
])("the host does not start with Storage__Sqlite__Path=%j", async (path, reason) => {
  await using opened = await openDriverFolder();
  const env = { ...settings, Storage__Sqlite__Path: path, ASPNETCORE_ENVIRONMENT: "Development" };
  const { code, stderr } = await spawnCli(["serve"], { folder: opened.path, env });
  expect(stderr).toMatch(reason);
  expect(code).toBe(78);
});

test("Storage__Type names the installed types when it has an unknown value", async () => {
  await using opened = await openDriverFolder();
  const env = { ...settings, Storage__Type: "Tape", ASPNETCORE_ENVIRONMENT: "Development" };
  const { code, stderr } = await spawnCli(["serve"], { folder: opened.path, env });
  expect(stderr).toContain('Storage__Type: "Tape" is not allowed');
  expect(code).toBe(78);
});
