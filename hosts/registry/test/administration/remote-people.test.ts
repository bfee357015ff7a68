import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runRemoteProgram } from "@sealhouse/command-line/remote";
import { openSqliteFile } from "@sealhouse/database/testing";
import { errorCodeOf } from "@sealhouse/http-responses";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";

let host: TestHost;
beforeAll(async () => {
  host = await startHost();
});
afterAll(() => host[Symbol.asyncDispose]());

/** Runs a command of another machine. `onLine` gets each line for people. */
async function run(
  words: readonly string[],
  {
    onLine = () => undefined,
    token,
  }: { readonly onLine?: (line: string) => void; readonly token?: string } = {},
) {
  const printed: string[] = [];
  const lines: string[] = [];
  const context = {
    env: { XDG_CONFIG_HOME: host.folder, SEALHOUSE_TOKEN: token },
    workingFolder: host.folder,
    stop: new AbortController().signal,
    stdout: (line: string) => printed.push(line),
    stderr(line: string) {
      lines.push(line);
      onLine(line);
    },
  };
  const remote = ["--remote", host.url, ...words];
  const code = await runRemoteProgram(remote, context, { version: "0" }).catch((error: unknown) => {
    if (errorCodeOf(error) !== "command-failed") throw error;
    lines.push((error as Error).message);
    return 1;
  });
  return { code, printed: printed.join("\n"), stderr: lines.join("\n") };
}

test("a sign-in gets a token, which commands use until the sign-out revokes it", async () => {
  expect((await run(["token", "list"])).stderr).toContain(`Sign in: sealhouse login ${host.url}`);
  const approvals: Promise<unknown>[] = [];
  const words = ["login", host.url, "--scopes", "tokens:write"];
  const signedIn = await run(words, {
    onLine: (line) => {
      const [, code] = /sign-in\/(\S+)/.exec(line) ?? [];
      const scopes = ["--scopes", "tokens:write", "--protocols", "nuget,npm,oci"];
      if (code) approvals.push(host.cli("npm", "login", code, "--name", "ops", ...scopes));
    },
  });
  await Promise.all(approvals);
  expect([signedIn.code, signedIn.stderr]).toEqual([0, expect.stringContaining("Signed in at")]);
  const folder = join(host.folder, "sealhouse", "tokens");
  const [name = ""] = await readdir(folder);
  const file = join(folder, name);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(signedIn.stderr).not.toMatch(/shp_/);
  expect((await run(["token", "list"])).printed).toContain("tokens:write  npm login");
  expect((await run(["user", "list"])).stderr).toContain("lacks the scope people:write");
  await chmod(file, 0o644);
  expect((await run(["token", "list"])).stderr).toContain("Others may read");
  await chmod(file, 0o600);
  expect((await run(["logout", host.url])).stderr).toContain("The token is revoked.");
  expect(await readdir(folder)).toEqual([]);
  expect((await host.cli("token", "list")).stdout).toMatch(/revoked {2}tokens:write/);
  expect((await run(["logout", host.url])).stderr).toContain("You are not signed in");
});

test("refuses a sign-in for other scopes, and at an address without a registry", async () => {
  const other = await run(["login", host.url, "--scopes", "write"]);
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('"write" is not a scope of administrators'),
  ]);
  expect((await run(["login", "ftp://127.0.0.1"])).stderr).toContain(
    "not the address of a registry",
  );
  expect((await run(["login", "http://packages.example.com"])).stderr).toContain("use https");
  expect((await run(["login", "http://127.0.0.1:9"])).stderr).toContain("does not answer");
});

test("commands of another machine change and print the same as those of the host", async () => {
  const token = await host.makeToken({ name: "remote", scopes: "admin" });
  for (const words of [
    ["user", "add", "ada", "--role", "publisher"],
    ["team", "add", "web", "--name", "The web"],
    ["team", "member", "add", "web", "ada"],
    ["account", "add", "deploy", "--team", "web"],
    ["token", "create", "--name", "ci", "--user", "ada"],
  ]) {
    expect(await run(words, { token })).toMatchObject({ code: 0 });
  }
  for (const words of [
    ["user", "list"],
    ["user", "show", "ada", "--json"],
    ["team", "list"],
    ["team", "show", "web", "--json"],
    ["account", "list", "--json"],
  ]) {
    const there = await run(words, { token });
    const here = await host.cli(...words);
    expect([there.printed, there.code]).toEqual([here.stdout.trimEnd(), here.code]);
  }
  const refused = ["token", "create", "--name", "x", "--scopes", "everything"];
  const there = await run(refused, { token });
  expect([there.code, there.stderr]).toEqual([1, (await host.cli(...refused)).stderr.trimEnd()]);
});

test("a repeated request gets the same token, whose value the database does not have", async () => {
  const admin = await host.makeToken({ name: "repeat", scopes: "admin" });
  const send = async () => {
    const answer = await host.fetch("/api/admin/v1/tokens", {
      method: "POST",
      headers: {
        authorization: `Bearer ${admin}`,
        "content-type": "application/json",
        "idempotency-key": "k1",
      },
      body: JSON.stringify({ name: "once", scopes: "read" }),
    });
    return (await answer.json()) as { readonly id: string; readonly token: string };
  };
  const first = await send();
  expect(await send()).toEqual(first);
  using file = openSqliteFile(join(host.folder, "sealhouse.db"));
  const answers = file.prepare("select body from idempotent_answers where body is not null").all();
  expect(answers.length).toBeGreaterThan(0);
  expect(JSON.stringify(answers)).not.toContain(first.id);
  const { stdout } = await host.cli("token", "list", "--json");
  const made = JSON.parse(stdout) as readonly { readonly name: string }[];
  expect(made.filter(({ name }) => name === "once")).toHaveLength(1);
});
