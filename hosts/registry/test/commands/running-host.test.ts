import { join } from "node:path";
import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { runCli, spawnCli, spawnHost, startHost } from "../../src/testing/index.ts";

const host = await startHost();
afterAll(() => host[Symbol.asyncDispose]());

/** A command that the host does, and one that opens the parts of the registry itself. */
async function both(...words: readonly string[]) {
  const there = await host.cli(...words);
  const env = { Feed__Other: "settings" };
  return [there, await runCli(words, { folder: host.folder, env })] as const;
}

test("a command prints the same at the running host as with its own parts", async () => {
  for (const words of [
    ["user", "add", "ada"],
    ["team", "add", "web", "--name", "The web"],
    ["source", "add", "acme", "--protocol", "npm", "--url", "https://npm.acme.example/"],
  ]) {
    expect(await host.cli(...words)).toMatchObject({ code: 0 });
  }
  for (const words of [
    ["user", "list"],
    ["user", "show", "ada", "--json"],
    ["team", "list"],
    ["source", "list"],
    ["policy", "list"],
    ["audit", "list", "--limit", "3"],
    ["token", "list", "--json"],
    ["team", "add", "web"],
    ["team", "show", "none"],
    ["token", "create", "--name", "x", "--scopes", "everything"],
    ["token", "create", "--name"],
    ["token", "lst"],
    ["token", "--help"],
    ["token", "create", "--help"],
  ]) {
    const [there, here] = await both(...words);
    expect(there, words.join(" ")).toEqual(here);
  }
  const [there, here] = await both("token", "create", "--name", "ci", "--scopes", "read");
  expect([there.code, there.stdout]).toEqual([0, expect.stringMatching(/^shp_\S+\n$/)]);
  const remarks = (text: string) => text.replaceAll(/[\da-f-]{36}|\d{4}-[\d-]+T[\d:.]+Z/g, "_");
  expect(remarks(there.stderr)).toEqual(remarks(here.stderr));
  const { stdout } = await host.cli("audit", "list", "--type", "token.created");
  expect(stdout).toMatch(/token\.created .* by command line \(.+\)$/m);
});

test("regular jobs belong to the running host", async () => {
  const [there, here] = await both("jobs", "list");
  expect(there.stdout).toMatch(/^sweep {2}every 3600 s {2}has not run yet$/m);
  expect(here).toMatchObject({ code: 1, stderr: expect.stringContaining("a running host") });
  const run = await host.cli("jobs", "run", "sweep");
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sweep .* ended 2/) });
  const unknown = await host.cli("jobs", "run", "none");
  expect(unknown.stderr).toContain('There is no job "none". The jobs are');
});

test("a killed host does no harm, and its token is made without it", async () => {
  await using killed = await spawnHost();
  const { folder } = killed;
  expect((await spawnCli(["team", "add", "web"], { folder })).code).toBe(0);
  await killed.kill();
  expect(existsSync(join(folder, "run", "host.sock"))).toBe(true);
  expect((await spawnCli(["team", "list"], { folder })).stdout).toContain("web");
  await using again = await startHost({ folder });
  expect((await again.cli("team", "list")).stdout).toContain("web");
});
