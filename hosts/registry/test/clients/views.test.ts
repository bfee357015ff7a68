import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { testedClients } from "../npm-clients/installed-clients.ts";
import { openNpmClient } from "../npm-clients/npm-client.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder } from "./client.ts";
import { createDotnetClient } from "./dotnet-client.ts";
import { writeImageLayout } from "./image-layout.ts";
import { findTool, runTool } from "./oci-tools.ts";

const tool = await findTool("skopeo");

describe("a view as of the time between two releases", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let folder: string;
  let token: string;
  /** With seconds, as `@…` and as the name of a repository. */
  let time: string;
  let view: string;

  beforeAll(async () => {
    host = cleanUp.use(await spawnHost({ env: { Signing__Mode: "" } }));
    folder = cleanUp.use(await openFolder()).path;
    token = await host.makeToken({ scopes: "read,write,delete" });
    await release("1.0.0");
    await wait(1_100);
    time = `${new Date().toISOString().slice(0, 19)}Z`;
    view = `as-of-${time.replaceAll(/[-:]/g, "").toLowerCase()}`;
    await wait(1_100);
    await release("1.1.0");
    await publishNpm("plugin", "2.0.0-rc.1", { dependencies: { demo: "^1.1.0" } });
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  /** Publishes a version in all three protocols. */
  async function release(version: string): Promise<void> {
    const pushed = await host.fetch("/api/v2/package", {
      method: "PUT",
      headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
      body: Buffer.from(buildNupkg({ id: "Acme.Demo", version })),
    });
    expect(pushed.status).toBe(201);
    await publishNpm("demo", version);
    await publishNpm("plugin", version, { dependencies: { demo: "^1.0.0" } });
    if (tool) await pushImage(version);
  }

  async function publishNpm(name: string, version: string, manifest: object = {}): Promise<void> {
    const published = await host.fetch(`/npm/${name}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: publishBody({ name, version, manifest: { ...manifest } }),
    });
    expect(published.status, await published.text()).toBe(200);
  }

  async function pushImage(version: string): Promise<void> {
    await writeImageLayout(join(folder, version), "1");
    for (const tag of ["latest", version]) {
      const credentials = ["--dest-tls-verify=false", "--dest-creds", `me:${token}`];
      const pushed = await skopeo(
        ["copy", ...credentials],
        `oci:${join(folder, version)}:1`,
        reference(`team/app:${tag}`),
      );
      expect(pushed.code, pushed.output).toBe(0);
    }
  }

  function skopeo([command = "", ...options]: readonly string[], ...names: string[]): Promise<Ran> {
    if (!tool) throw new Error("skopeo is not available");
    const words = ["--insecure-policy", command, ...options, ...names];
    return runTool(tool, words, { env: { HOME: folder } });
  }
  const reference = (name: string) => `docker://${new URL(host.url).host}/${name}`;

  // npm 12 fetches only below the address of its registry, and lock files have the plain one.
  const clients = [
    ["npm-11", () => []],
    ["npm-12", () => ["--replace-registry-host", `${host.url}/npm/`]],
  ] as const;
  const installed = clients.filter(([name]) => testedClients().includes(name));
  test.each(installed)("%s writes the lock file that --before writes", async (name, flags) => {
    const lockFile = async (path: string, options: readonly string[]) => {
      const addresses = { url: host.url, front: host.url, path };
      await using client = await openNpmClient(name, { folder, token, ...addresses });
      const project = await client.project({ plugin: "*", demo: "latest" });
      const words = ["install", "--ignore-scripts", "--no-audit", ...options];
      const { code, output } = await client.run(words, { cwd: project });
      expect(code, output).toBe(0);
      return readFile(join(project, "package-lock.json"), "utf8");
    };
    const viewed = await lockFile(`/@${time}/npm/`, flags());
    expect(viewed).toBe(await lockFile("/npm/", ["--before", time]));
    expect(viewed).toContain(`${host.url}/npm/demo/-/demo-1.0.0.tgz`);
    expect(await lockFile("/npm/", [])).toContain("demo-1.1.0.tgz");
  });

  // Each of two new SDK homes takes half a minute on a busy machine.
  const options = { skip: !hasClient("dotnet"), timeout: 240_000 };
  test("dotnet restores the versions of that time", options, async () => {
    const restore = async (path: string) => {
      const home = cleanUp.use(await openFolder()).path;
      const client = await createDotnetClient({ folder: home, source: `${host.url}${path}` });
      const project = await client.consumer({ id: "Acme.Demo", version: "1.*" });
      const restored = await client.run(["restore", "--use-lock-file"], project);
      expect(restored.code, restored.output).toBe(0);
      return readFile(join(project, "packages.lock.json"), "utf8");
    };
    const viewed = await restore(`/@${time}/v3/index.json`);
    expect(viewed).toContain('"resolved": "1.0.0"');
    const today = await restore("/v3/index.json");
    expect(today).toContain('"resolved": "1.1.0"');
  });

  test.skipIf(!hasClient("dotnet"))("dotnet cannot push to a view, and shows why", async () => {
    const source = `${host.url}/@${time}/api/v2/package`;
    const path = join(folder, "refused.nupkg");
    await writeFile(path, buildNupkg({ id: "Acme.Demo", version: "3.0.0" }));
    const client = await createDotnetClient({ folder, source: `${host.url}/v3/index.json` });
    const pushed = await client.run([
      "nuget",
      "push",
      path,
      "--source",
      source,
      "--api-key",
      token,
      "--allow-insecure-connections",
    ]);
    expect(pushed.code).not.toBe(0);
    // Seconds of a whole minute are left out.
    expect(pushed.output).toContain(`read-only view as of ${time.replace(/:00Z$/, "Z")}`);
  });

  test.skipIf(!tool)("skopeo pulls the image of that time", async () => {
    const digestOf = async (name: string) => {
      const credentials = ["--tls-verify=false", "--creds", `me:${token}`];
      const words = ["inspect", "--format", "{{.Digest}}", ...credentials];
      const inspected = await skopeo(words, reference(name));
      expect(inspected.code, inspected.output).toBe(0);
      // Warnings, such as that of another attempt, go to standard error.
      return inspected.stdout.trim();
    };
    const then = await digestOf(`${view}/team/app:latest`);
    expect(then).toBe(await digestOf("team/app:1.0.0"));
    expect(await digestOf("team/app:latest")).not.toBe(then);
    const out = join(folder, "pulled");
    const pulled = await skopeo(
      ["copy", "--src-tls-verify=false", "--src-creds", `me:${token}`],
      reference(`${view}/team/app:latest`),
      `oci:${out}:1`,
    );
    expect(pulled.code, pulled.output).toBe(0);
    expect(await readFile(join(out, "index.json"), "utf8")).toContain(then);
    const pushed = await skopeo(
      ["copy", "--dest-tls-verify=false", "--dest-creds", `me:${token}`],
      `oci:${out}:1`,
      reference(`${view}/team/app:new`),
    );
    expect(pushed.code).not.toBe(0);
    expect(pushed.output).toMatch(/read-only view|denied|unauthorized|405/);
  });
});
