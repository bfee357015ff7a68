import { join } from "node:path";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { hasClient, openFolder, run } from "../clients/client.ts";
import type { Ran } from "../clients/client.ts";
import { createDotnetClient } from "../clients/dotnet-client.ts";
import { writeImageLayout } from "../clients/image-layout.ts";
import { commandOf } from "../npm-clients/installed-clients.ts";
import { openNpmClient } from "../npm-clients/npm-client.ts";
import { addSources } from "./add-source.ts";

const ENV = {
  Feed__Oci__Default__Enabled: "true",
  Feed__Authentication__AllowAnonymousPull: "true",
};

/** Clients of the last of three registries, each of which mirrors the one before. */
describe("a mirror of a mirror", () => {
  const cleanUp = new AsyncDisposableStack();
  let folder: string;
  let origin: TestHost;
  let last: TestHost;
  let homes = 0;

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    const start = async () => cleanUp.use(await spawnHost({ env: ENV }));
    const [first, middle, third] = await Promise.all([start(), start(), start()]);
    [origin, last] = [first, third];
    await addSources(middle, sourcesAt(first));
    await addSources(third, sourcesAt(middle));
    const token = await first.makeToken({ scopes: "read,write" });
    await publish(token);
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  const sourcesAt = ({ url }: TestHost) => [
    { name: "npm", protocol: "npm", url: `${url}/npm/` } as const,
    { name: "nuget", protocol: "nuget", url: `${url}/v3/index.json` } as const,
    { name: "images", protocol: "oci", url } as const,
  ];

  async function publish(token: string): Promise<void> {
    for (const [name, dependencies] of [
      ["leaf", {}],
      ["root", { leaf: "^1.0.0" }],
    ] as const) {
      const published = await origin.fetch(`/npm/${name}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: publishBody({ name, version: "1.0.0", manifest: { dependencies } }),
      });
      expect(published.status, await published.text()).toBe(200);
    }
    const metadata = "<dependencies><dependency id='Acme.Leaf' version='1.0.0'/></dependencies>";
    for (const recipe of [{ id: "Acme.Leaf" }, { id: "Acme.Root", metadata }]) {
      const files = { "lib/netstandard2.0/_._": "" };
      const pushed = await origin.fetch("/api/v2/package", {
        method: "PUT",
        headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
        body: Buffer.from(buildNupkg({ ...recipe, version: "1.0.0", files })),
      });
      expect(pushed.status).toBe(201);
    }
    if (!hasClient("skopeo")) return;
    await writeImageLayout(join(folder, "layout"), "1.0");
    const words = [
      "--dest-tls-verify=false",
      "--dest-creds",
      `me:${token}`,
      `oci:${folder}/layout:1.0`,
    ];
    const pushed = await skopeo(...words, reference(origin));
    expect(pushed.code, pushed.output).toBe(0);
  }

  const reference = ({ url }: TestHost) => `docker://${new URL(url).host}/team/app:1.0`;
  const skopeo = (...words: readonly string[]) =>
    run("skopeo", ["--insecure-policy", "copy", ...words], { env: { HOME: folder } });

  async function npm(): Promise<Ran> {
    await using client = await openNpmClient("npm-12", { folder, url: last.url });
    const project = await client.project({ root: "^1.0.0" });
    const installed = await client.install(project);
    if (installed.code !== 0) return installed;
    await client.clearCache();
    await client.removeInstalled(project);
    return await client.installFrozen(project);
  }
  async function dotnet(): Promise<Ran> {
    const home = join(folder, `dotnet-${(homes += 1)}`);
    const client = await createDotnetClient({ folder: home, source: `${last.url}/v3/index.json` });
    const project = await client.consumer({ id: "Acme.Root", version: "1.*" });
    return client.run(["restore", "--use-lock-file"], project);
  }
  const image = () =>
    skopeo("--src-tls-verify=false", reference(last), `oci:${folder}/pulled-${(homes += 1)}:1.0`);

  const clients = (
    [
      ["npm", commandOf("npm-12") !== undefined, npm],
      ["dotnet", hasClient("dotnet"), dotnet],
      ["skopeo", hasClient("skopeo"), image],
    ] as const
  ).filter(([, isHere]) => isHere);

  test.each(clients)("%s gets everything through both", async (_, __, get) => {
    const { code, output } = await get();
    expect(code, output).toBe(0);
    // The last one lists the certificate of the signature that it added.
    expect(output).not.toContain("NU3034");
  });

  test("without the first registry, all clients get it again with empty caches", async () => {
    await origin.stop();
    for (const [name, , get] of clients) {
      const { code, output } = await get();
      expect(code, `${name}: ${output}`).toBe(0);
    }
  });
});
