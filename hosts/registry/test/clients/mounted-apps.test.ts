import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createMemoryNpmPorts } from "@sealhouse/npm-protocol/testing";
import { createNpmApp } from "@sealhouse/npm-protocol";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import { buildNupkg, createMemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import { createOciApp } from "@sealhouse/oci-distribution";
import { createMemoryOciPorts } from "@sealhouse/oci-distribution/testing";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasClient, openFolder, run } from "./client.ts";
import { createDotnetClient } from "./dotnet-client.ts";
import { writeImageLayout } from "./image-layout.ts";

/** A foreign application that serves three registries next to its own pages. */
async function openParent() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const base = `http://127.0.0.1:${address.port}`;
  const addressOf = (path: string) => () => ({ base: `${base}${path}`, cacheable: true });
  const feeds = new Hono();
  feeds.route(
    "/nuget",
    createNuGetApp(createMemoryNuGetPorts({ address: addressOf("/feeds/nuget") }).ports),
  );
  const npm = createMemoryNpmPorts({ address: addressOf("/feeds/npm") });
  feeds.route("/npm", createNpmApp(npm, { anonymousRead: true }));
  const parent = new Hono();
  parent.use("*", async (c, next) => {
    c.header("x-parent", "yes");
    await next();
  });
  parent.get("/", (c) => c.text("the parent's own page"));
  parent.route("/feeds", feeds);
  parent.route("/", createOciApp(createMemoryOciPorts({ base }), { service: "feed" }));
  server.on("request", (incoming, outgoing) => {
    void getRequestListener(parent.fetch)(incoming, outgoing);
  });
  return {
    base,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describe("apps mounted in a parent app", () => {
  const cleanUp = new AsyncDisposableStack();
  let base: string;
  let folder: string;

  beforeAll(async () => {
    base = cleanUp.use(await openParent()).base;
    folder = cleanUp.use(await openFolder()).path;
  });
  afterAll(() => cleanUp.disposeAsync());

  test("the parent keeps its own pages and headers", async () => {
    const page = await fetch(`${base}/`);
    expect([await page.text(), page.headers.get("x-parent")]).toEqual([
      "the parent's own page",
      "yes",
    ]);
    const index = await fetch(`${base}/feeds/nuget/v3/index.json`);
    expect([index.status, index.headers.get("x-parent")]).toEqual([200, "yes"]);
    expect((await fetch(`${base}/v3/index.json`)).status).toBe(404);
  });

  test.skipIf(!hasClient("dotnet"))("dotnet pushes to /feeds/nuget and restores", async () => {
    const source = `${base}/feeds/nuget/v3/index.json`;
    const client = await createDotnetClient({ folder, source });
    const nupkg = join(folder, "Acme.Mounted.1.0.0.nupkg");
    await writeFile(nupkg, buildNupkg({ id: "Acme.Mounted", version: "1.0.0" }));
    const pushed = await client.run(["nuget", "push", nupkg, "-s", "sealhouse", "-k", "any"]);
    expect(pushed.code, pushed.output).toBe(0);
    const search = await client.run(["package", "search", "mounted", "--source", "sealhouse"]);
    expect(search.output).toContain("Acme.Mounted");
    const project = await client.consumer({ id: "Acme.Mounted", version: "1.*" });
    const restored = await client.run(["restore"], project);
    expect(restored.code, restored.output).toBe(0);
  });

  test.skipIf(!hasClient("npm"))("npm publishes to /feeds/npm and installs", async () => {
    const registry = `${base}/feeds/npm/`;
    const userconfig = join(folder, ".npmrc");
    await writeFile(
      userconfig,
      `registry=${registry}\n${registry.replace("http:", "")}:_authToken=any\n`,
    );
    const env = {
      HOME: folder,
      npm_config_userconfig: userconfig,
      npm_config_cache: join(folder, "npm-cache"),
      npm_config_update_notifier: "false",
    };
    const [source, consumer] = [join(folder, "source"), join(folder, "consumer")];
    for (const made of [source, consumer]) await mkdir(made);
    const manifest = { name: "@acme/mounted", version: "1.0.0", license: "MIT" };
    await writeFile(join(source, "package.json"), JSON.stringify(manifest));
    await writeFile(join(consumer, "package.json"), "{}");
    const published = await run("npm", ["publish"], { cwd: source, env });
    expect(published.code, published.output).toBe(0);
    const installed = await run("npm", ["install", "@acme/mounted"], { cwd: consumer, env });
    expect(installed.code, installed.output).toBe(0);
    const lock = await readFile(join(consumer, "package-lock.json"), "utf8");
    expect(lock).toContain(`${registry}@acme/mounted/-/mounted-1.0.0.tgz`);
  });

  test.skipIf(!hasClient("skopeo"))("skopeo copies to /v2 at the root and back", async () => {
    const image = `docker://${new URL(base).host}/team/app:1.0`;
    await writeImageLayout(join(folder, "layout"), "1.0");
    const skopeo = (...args: readonly string[]) =>
      run("skopeo", ["--insecure-policy", "copy", ...args], { env: { HOME: folder } });
    const pushed = await skopeo("--dest-tls-verify=false", `oci:${folder}/layout:1.0`, image);
    expect(pushed.code, pushed.output).toBe(0);
    const pulled = await skopeo("--src-tls-verify=false", image, `oci:${folder}/out:1.0`);
    expect(pulled.code, pulled.output).toBe(0);
  });
});
