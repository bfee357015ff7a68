import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import { addSource } from "../upstream/add-source.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import type { SigstoreStandIn } from "./sigstore-stand-in.ts";
import { openSigstoreStandIn } from "./sigstore-stand-in.ts";

const names = testedClients();
const VERIFYING = ["npm-11", "npm-12", "pnpm-12"] as const;
const verifying = VERIFYING.filter((name) => names.includes(name));

const cleanUp = new AsyncDisposableStack();
let upstream: NpmClients;
let mirror: NpmClients;
let sigstore: SigstoreStandIn;
const projects = new Map<ClientName, string>();
const PACKAGES = {
  top: { "@acme/middle": "1.x" },
  "@acme/middle": { bottom: "^1.0.0" },
  bottom: {},
};

beforeAll(async () => {
  const { path: folder } = cleanUp.use(await openFolder());
  sigstore = cleanUp.use(await openSigstoreStandIn(folder));
  upstream = cleanUp.use(await openNpmClients({ only: ["npm-12"] }));
  await keysOf(upstream.host);
  const [publisher] = upstream.all;
  for (const [name, dependencies] of Object.entries(PACKAGES)) {
    const source = await publisher?.source(name, "1.0.0", { dependencies });
    const sent = source === undefined ? undefined : await publisher?.publish(source);
    expect(sent?.code, sent?.output).toBe(0);
  }
  mirror = cleanUp.use(await openNpmClients({ only: names }));
  publisher?.requests();
  const url = publisher?.registry ?? "";
  await addSource(mirror.host, { name: "upstream", protocol: "npm", url });
});
afterAll(() => cleanUp.disposeAsync());

/** Resolves when the registry has announced its keys. */
async function keysOf(host: TestHost): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await host.fetch("/npm/-/npm/v1/keys")).ok) return;
    await delay(100);
  }
  throw new Error("the registry has no keys");
}

describe.skipIf(names.length === 0)("packages of another registry, as clients install them", () => {
  test.each(names)("%s installs through the mirror", async (name) => {
    const client = mirror.client(name);
    const project = await client.project({ top: "^1.0.0" });
    projects.set(name, project);
    const { code, output } = await client.install(project);
    expect(code, output).toBe(0);
  });

  test("the source sent each tarball once", () => {
    const sent = upstream
      .client("npm-12")
      .requests()
      .map(({ path }) => path);
    const tarballs = sent.filter((path) => path.endsWith(".tgz"));
    expect(tarballs.toSorted()).toEqual([
      "/npm/@acme/middle/-/middle-1.0.0.tgz",
      "/npm/bottom/-/bottom-1.0.0.tgz",
      "/npm/top/-/top-1.0.0.tgz",
    ]);
    expect(sent.filter((path) => path.endsWith("/npm/top"))).toHaveLength(1);
  });

  test("without the source, all clients install again with empty caches", async () => {
    await upstream.host.stop();
    for (const name of names) {
      const client = mirror.client(name);
      const project = projects.get(name) ?? "";
      await client.clearCache();
      await client.removeInstalled(project);
      const frozen = await client.installFrozen(project);
      expect(frozen.code, frozen.output).toBe(0);
      const fresh = await client.project({ top: "^1.0.0" });
      await client.clearCache();
      const resolved = await client.install(fresh);
      expect(resolved.code, resolved.output).toBe(0);
    }
  });

  test.each(verifying)("%s verifies the signatures without the source", async (name) => {
    const client = mirror.client(name);
    const project = projects.get(name) ?? "";
    await sigstore.seed(client.home);
    const audited = await client.run(["audit", "signatures"], { cwd: project, env: sigstore.env });
    expect(audited.output).toMatch(/3 packages have verified registry signatures/);
    expect(audited.code, audited.output).toBe(0);
  });
});
