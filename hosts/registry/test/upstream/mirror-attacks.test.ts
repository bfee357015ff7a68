import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import { addSource } from "./add-source.ts";
import { OPEN_ATTACKED } from "./attacked-sources.ts";
import { settingsOf } from "./source-settings.ts";

const env = {
  ASPNETCORE_ENVIRONMENT: "Production",
  Feed__PublicBaseUrl: "https://packages.example",
  Feed__Npm__Enabled: "true",
  Feed__Authentication__AllowAnonymousPull: "false",
  Signing__Mode: "",
  Host__TokenHashPepper: randomBytes(24).toString("hex"),
};

let folder: string;
let upstream: ScriptedRegistry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-attacks-"));
});
beforeEach(async () => {
  upstream = await openScriptedRegistry();
});
afterEach(() => upstream[Symbol.asyncDispose]());
afterAll(() => rm(folder, { recursive: true }));

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("a host that is killed during a transfer has nothing of it, and serves it afterwards", async () => {
  const data = join(folder, "killed");
  upstream.publish("slow", "1.0.0");
  let token: string;
  {
    await using host = await spawnHost({ folder: data, env });
    token = await host.makeToken({ scopes: "read" });
    await addSource(host, { name: "upstream", protocol: "npm", url: upstream.url });
    expect((await host.fetch("/npm/slow", bearer(token))).status).toBe(200);
    const asked = Promise.withResolvers<void>();
    upstream.fault = (request, response) => {
      if (request.url?.endsWith(".tgz") !== true) return false;
      response.writeHead(200, { "content-length": 900_000 }).write(Buffer.alloc(400_000));
      asked.resolve();
      return true;
    };
    const cut = expect(
      host.fetch("/npm/slow/-/slow-1.0.0.tgz", bearer(token)).then((response) => response.bytes()),
    ).rejects.toThrow();
    await asked.promise;
    await host.kill();
    await cut;
  }
  upstream.fault = undefined;
  await using host = await spawnHost({ folder: data, env });
  // The lease of the killed host ends after 15 seconds.
  const response = await host.fetch("/npm/slow/-/slow-1.0.0.tgz", bearer(token));
  expect(response.status).toBe(200);
  expect((await response.bytes()).length).toBeGreaterThan(100);
  expect(await readdir(join(data, "transfers")).catch(() => [])).toEqual([]);
}, 60_000);

test("a download whose token is revoked changes nothing for others", async () => {
  await using source = await OPEN_ATTACKED.oci("revoked");
  const settings = { ...settingsOf([source]), Feed__Oci__Default__Enabled: "true" };
  await using host = await spawnHost({
    folder: join(folder, "revoked"),
    env: { ...env, ...settings },
  });
  const read = async (token: string, path: string) => {
    const basic = Buffer.from(`x:${token}`).toString("base64");
    return host.fetch(path, { headers: { authorization: `Basic ${basic}` } });
  };
  const made = await host.cli("token", "create", "--name", "gone", "--scopes", "read", "--json");
  const { id, token } = JSON.parse(made.stdout) as { readonly id: string; readonly token: string };
  expect((await read(token, source.document)).status).toBe(200);
  const rest = Promise.withResolvers<void>();
  source.attack("file", (_, response) => {
    response.writeHead(200, { "content-length": source.bytes.length });
    response.write(source.bytes.subarray(0, 300_000));
    void rest.promise.then(() => response.end(source.bytes.subarray(300_000)));
  });
  const begun = await read(token, source.file);
  expect(begun.status).toBe(200);
  const revoked = await host.cli("token", "revoke", id);
  expect(revoked.code, revoked.stderr).toBe(0);
  expect((await read(token, source.file)).status).toBe(401);
  rest.resolve();
  // It was authorized when it began.
  expect(Buffer.from(await begun.bytes()).equals(source.bytes)).toBe(true);
  const other = await host.makeToken({ name: "other", scopes: "read" });
  const before = source.requests().length;
  const again = await read(other, source.file);
  expect(Buffer.from(await again.bytes()).equals(source.bytes)).toBe(true);
  expect(source.requests().slice(before)).toEqual([]);
});

test("callers who may not read a name cause no call to its source", async () => {
  upstream.publish("secret", "1.0.0");
  await using host = await spawnHost({ folder: join(folder, "closed"), env });
  await addSource(host, { name: "upstream", protocol: "npm", url: upstream.url });
  const other = await host.makeToken({ scopes: "read", patterns: "@acme/*" });
  const paths = [
    "secret",
    "secret/1.0.0",
    "-/package/secret/dist-tags",
    "secret/-/secret-1.0.0.tgz",
  ];
  for (const path of paths) {
    expect((await host.fetch(`/npm/${path}`)).status, path).toBe(401);
    expect((await host.fetch(`/npm/${path}`, bearer(other))).status, path).toBe(404);
  }
  expect(upstream.requests).toEqual([]);
  const owner = await host.makeToken({ name: "owner", scopes: "read" });
  expect((await host.fetch("/npm/secret", bearer(owner))).status).toBe(200);
  expect(upstream.requests).toEqual(["GET /secret"]);
});
