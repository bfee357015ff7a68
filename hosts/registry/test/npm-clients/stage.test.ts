import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest, isExtended } from "../../src/testing/index.ts";
import { hasClient } from "../clients/client.ts";
import { expectGolden } from "./golden.ts";
import { testedClients } from "./installed-clients.ts";
import { interact } from "./interaction.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf } from "./packuments.ts";

/** Clients that have the command. */
const STAGING = (["npm-11", "npm-12", "pnpm-12"] as const).filter((name) =>
  testedClients().includes(name),
);
const NPMS = (["npm-11", "npm-12"] as const).filter((name) => testedClients().includes(name));
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
const CODE = /\/sign-in\/([A-Z0-9]{4}-[A-Z0-9]{4})/;

type Listed = {
  readonly id: string;
  readonly packageName: string;
  readonly version: string;
  readonly tag: string;
  readonly actor: string;
  readonly shasum: string;
  readonly status: string;
};

describe("staging, and releasing", () => {
  let clients: NpmClients;
  /** Hands in, and may do nothing else. */
  let stageOnly: string;

  beforeAll(async () => {
    clients = await openNpmClients({ only: STAGING });
    stageOnly = await clients.host.makeToken({ name: "ci", scopes: "read,stage" });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  test.each(STAGING)(
    "%s stages with a token that cannot publish, and another account releases",
    async (kind) => {
      const name = `@acme/staged-${kind}`;
      await using ci = await clients.another(kind, { token: stageOnly });
      const source = await ci.source(name, "1.0.0");
      const refused = await ci.publish(source);
      expect(refused.code).not.toBe(0);
      expect(refused.output).toMatch(/lacks the scope write[^]*npm stage publish/);
      ci.requests();

      const id = await stage(ci, source);
      expect(await packumentOf(clients, name)).not.toHaveProperty("versions");
      const [listed, ...others] = await list(ci, name);
      expect(others).toEqual([]);
      expect(listed).toMatchObject({
        id,
        packageName: name,
        version: "1.0.0",
        tag: "latest",
        actor: "ci",
        status: "staged",
      });
      const viewed = await ci.run(["stage", "view", id]);
      expect(viewed.stdout).toMatch(/staged by[^]*ci/);
      const tarball = await download(ci, id);
      expect(createHash("sha1").update(tarball).digest("hex")).toBe(listed?.shasum);
      const own = await ci.run(["stage", "approve", id]);
      expect(own.code).not.toBe(0);
      expect(own.output).toMatch(/scope write/);

      const owner = clients.client(kind);
      owner.requests();
      const approved = await owner.run(["stage", "approve", id]);
      expect(approved.code, approved.output).toBe(0);
      const requests = [...ci.requests(), ...owner.requests()];
      await expectGolden(`${kind}/stage`, withoutIds(requests));

      const { versions, maintainers } = await packumentOf(clients, name);
      const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
      expect(versions["1.0.0"]).toMatchObject({
        _npmUser: { name: "ci" },
        dist: { integrity, signatures: [{ sig: expect.any(String) as string }] },
      });
      expect(maintainers).toEqual([{ name: "alice", email: "" }]);
      expect(await list(ci, name)).toEqual([]);
      const twice = await owner.run(["stage", "approve", id]);
      expect(twice.output).toMatch(/404/);
    },
    120_000,
  );

  test.each(STAGING.filter((name) => isExtended || name === "pnpm-12"))(
    "%s rejects a version, which is gone then",
    async (kind) => {
      const name = `rejected-${kind}`;
      const client = clients.client(kind);
      const source = await client.source(name, "1.0.0");
      const id = await stage(client, source);
      client.requests();
      const rejected = await client.run(["stage", "reject", id]);
      expect(rejected.code, rejected.output).toBe(0);
      await expectGolden(`${kind}/stage-reject`, withoutIds(client.requests()));
      expect(await list(client, name)).toEqual([]);
      expect((await client.run(["stage", "view", id])).code).not.toBe(0);
      const published = await client.publish(source);
      expect(published.code, published.output).toBe(0);
    },
  );

  test("does not release a version number that was published in the meantime, and explains that", async () => {
    const client = clients.client("npm-12");
    const id = await stage(client, await client.source("overtaken", "1.0.0"));
    const other = await client.source("overtaken", "1.0.0", { description: "another one" });
    expect((await client.publish(other)).code).toBe(0);
    const approved = await client.run(["stage", "approve", id]);
    expect(approved.output).toMatch(
      /E403[^]*You cannot publish over the previously published versions: 1\.0\.0/,
    );
    const { versions } = await packumentOf(clients, "overtaken");
    expect(versions["1.0.0"]).toMatchObject({ description: "another one" });
    expect((await client.run(["stage", "reject", id])).code).toBe(0);
  });

  test("refuses a second staged version of the same number, and names the first", async () => {
    const client = clients.client("npm-12");
    await stage(client, await client.source("contended", "1.0.0"));
    const other = await client.source("contended", "1.0.0", { description: "another one" });
    const again = await client.run(["stage", "publish"], { cwd: other });
    expect(again.code).not.toBe(0);
    expect(again.output).toMatch(/E403[^]*staged already, by alice/);
  });

  test("tokens without the right see nothing staged", async () => {
    const { host } = clients;
    const client = clients.client("npm-12");
    const id = await stage(client, await client.source("hidden", "1.0.0"));
    const readOnly = await host.makeToken({ name: "reader", scopes: "read" });
    const elsewhere = await host.makeToken({ name: "bob", patterns: "@bob/*", scopes: "write" });
    const ask = async (token: string | undefined, path: string, method = "GET") => {
      const headers: Record<string, string> =
        token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await host.fetch(`/npm/-/stage${path}`, { method, headers })).status;
    };
    const paths = ["", `/${id}`, `/${id}/tarball`];
    for (const path of paths) {
      expect([path, await ask(undefined, path)]).toEqual([path, 401]);
      expect([path, await ask(readOnly, path)]).toEqual([path, 403]);
    }
    for (const path of paths.slice(1)) expect(await ask(elsewhere, path)).toBe(404);
    expect(await ask(elsewhere, `/${id}/approve`, "POST")).toBe(404);
    expect(await ask(elsewhere, `/${id}`, "DELETE")).toBe(404);
    expect(await ask(readOnly, `/${id}/approve`, "POST")).toBe(403);
    await using bob = await clients.another("npm-12", { token: elsewhere });
    expect(await list(bob)).toEqual([]);
    expect(await list(client, "hidden")).toHaveLength(1);
    expect((await host.fetch("/npm/hidden")).status).toBe(404);
    expect((await host.fetch("/npm/hidden/-/hidden-1.0.0.tgz")).status).toBe(404);
    const response = await host.fetch("/npm/-/v1/search?text=hidden");
    expect(await response.json()).toMatchObject({ total: 0 });
  });
});

describe("staged versions that an operator has to confirm", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    clients = await openNpmClients({ only: NPMS, env: { Feed__Npm__StepUp__Enabled: "true" } });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  const confirm = (code: string) => clients.host.cli("npm", "confirm", code);

  extendedTest.each(NPMS)(
    "%s asks before it approves or rejects, and not to stage",
    async (kind) => {
      const client = clients.client(kind);
      for (const [what, action] of [
        ["approve", "stage-approve"],
        ["reject", "stage-reject"],
      ] as const) {
        const name = `confirmed-${what}-${kind}`;
        const id = await stage(client, await client.source(name, "1.0.0"));
        const attempt = await client.run(["stage", what, id]);
        expect(attempt.code).not.toBe(0);
        expect(attempt.output).toContain("EOTP");
        const code = CODE.exec(attempt.output)?.[1] ?? "";
        expect((await confirm(code)).stderr).toContain(`${action} by alice`);
        expect(await list(client, name)).toHaveLength(1);
        const done = await client.run(["stage", what, id, `--otp=${code}`]);
        expect(done.code, done.output).toBe(0);
        expect(await list(client, name)).toEqual([]);
      }
    },
  );

  test.skipIf(!hasClient("script"))("at a terminal npm waits for it, and continues", async () => {
    const client = clients.client("npm-12");
    const id = await stage(client, await client.source("at-a-terminal", "1.0.0"));
    const words = ["stage", "approve", id];
    const done = await interact(client, words, [[CODE, confirm]], { terminal: true });
    expect(done.code, done.output).toBe(0);
    expect(done.output).toContain("approved and published successfully");
    expect((await packumentOf(clients, "at-a-terminal")).versions).toHaveProperty("1.0.0");
  });
});

async function stage(client: NpmClient, source: string): Promise<string> {
  const more = client.name === "pnpm-12" ? ["--no-git-checks"] : [];
  const staged = await client.run(["stage", "publish", ...more], { cwd: source });
  expect(staged.code, staged.output).toBe(0);
  const [id] = ID.exec(staged.output) ?? [];
  expect(id, staged.output).toBeDefined();
  return id ?? "";
}

async function list(client: NpmClient, name?: string): Promise<readonly Listed[]> {
  const words = ["stage", "list", ...(name === undefined ? [] : [name]), "--json"];
  const listed = await client.run(words);
  expect(listed.code, listed.output).toBe(0);
  return JSON.parse(listed.stdout) as readonly Listed[];
}

async function download(client: NpmClient, id: string): Promise<Buffer> {
  const cwd = await client.folder({ name: "inspection", version: "0.0.0" });
  const downloaded = await client.run(["stage", "download", id], { cwd });
  expect(downloaded.code, downloaded.output).toBe(0);
  const file = (await readdir(cwd)).find((entry) => entry.endsWith(".tgz"));
  expect(file, downloaded.output).toContain(id);
  return readFile(join(cwd, file ?? ""));
}

function withoutIds<T extends { readonly path: string }>(requests: readonly T[]): readonly T[] {
  return requests.map((request) => ({ ...request, path: request.path.replace(ID, "<stage id>") }));
}
