import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import { expectGolden } from "./golden.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import { openNpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import type { SigstoreStandIn } from "./sigstore-stand-in.ts";
import { openSigstoreStandIn } from "./sigstore-stand-in.ts";
import { openTamperingProxy } from "./tampering-proxy.ts";

/** Clients that verify signatures. */
const VERIFYING = ["npm-11", "npm-12", "pnpm-12"] as const;
const verifying = VERIFYING.filter((name) => testedClients().includes(name));

describe.skipIf(verifying.length === 0)("registry signatures, as clients verify them", () => {
  const cleanUp = new AsyncDisposableStack();
  let folder: string;
  let sigstore: SigstoreStandIn;
  let clients: NpmClients;

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    sigstore = cleanUp.use(await openSigstoreStandIn(folder));
    clients = cleanUp.use(await openNpmClients({ only: verifying }));
    await keysOf(clients.host);
    await publish("signed-one", "1.0.0");
    await publish("@acme/signed-two", "1.0.0");
  });
  afterAll(() => cleanUp.disposeAsync());

  async function publish(name: string, version: string): Promise<void> {
    const [client] = clients.all;
    if (!client) throw new Error("there is no client");
    const { code, output } = await client.publish(await client.source(name, version));
    if (code !== 0) throw new Error(output);
  }

  async function audit(client: NpmClient, dependencies: Record<string, string>) {
    const project = await client.project(dependencies);
    const { code, output } = await client.install(project);
    if (code !== 0) throw new Error(output);
    await sigstore.seed(client.home);
    client.requests();
    return client.run(["audit", "signatures"], { cwd: project, env: sigstore.env });
  }

  test.each(verifying)("%s finds every package signed", async (name) => {
    const dependencies = { "signed-one": "1.0.0", "@acme/signed-two": "1.0.0" };
    const audited = await audit(clients.client(name), dependencies);
    expect(audited.output).toMatch(/2 packages have verified registry signatures/);
    expect(audited.output).not.toMatch(/missing|invalid/i);
    expect(audited.code).toBe(0);
    await expectGolden(`${name}/audit-signatures`, clients.client(name).requests());
  });

  test.each(verifying)("%s takes what a key signed before it was replaced", async (name) => {
    const version = `1.0.${VERIFYING.indexOf(name) + 1}`;
    await publish("rotated", version);
    const [before] = (await keysOf(clients.host)).filter(({ expires }) => expires === null);
    const { code, stderr } = await clients.host.cli("npm", "keys", "rotate");
    expect(code, stderr).toBe(0);
    await publish("signed-after", version);
    const keys = await keysOf(clients.host);
    expect(keys.find(({ keyid }) => keyid === before?.keyid)?.expires).toMatch(/^\d{4}-/);
    const audited = await audit(clients.client(name), {
      rotated: version,
      "signed-after": version,
    });
    expect(audited.output).toMatch(/2 packages have verified registry signatures/);
    expect(audited.code).toBe(0);
  });

  test.each(verifying)("%s notices one changed byte of a signature", async (name) => {
    const flip = (text: string) => text.replaceAll(/"sig":"(.{20})(.)/g, flipped);
    await using proxy = await openTamperingProxy(clients.host.url, flip);
    const { token } = clients;
    await using client = await openNpmClient(name, { folder, url: proxy.url, token });
    const audited = await audit(client, { "signed-one": "1.0.0" });
    expect(audited.output).toMatch(/invalid registry signature/);
    expect(audited.code).toBe(1);
  });

  test.each(verifying)("%s notices that a key is gone", async (name) => {
    const remove = (text: string, path: string) =>
      path.endsWith("/-/npm/v1/keys") ? text.replaceAll("SHA256:", "SHA256:gone") : text;
    await using proxy = await openTamperingProxy(clients.host.url, remove);
    const { token } = clients;
    await using client = await openNpmClient(name, { folder, url: proxy.url, token });
    const audited = await audit(client, { "signed-one": "1.0.0" });
    expect(audited.output).toMatch(/no corresponding public key can be found/);
    expect(audited.code).not.toBe(0);
  });
});

function flipped(_: string, before: string, letter: string): string {
  return `"sig":"${before}${letter === "A" ? "B" : "A"}`;
}

type Key = { readonly keyid: string; readonly expires: string | null; readonly key: string };

/** The keys of the public list; waits until the host has created its key. */
async function keysOf(host: TestHost): Promise<readonly Key[]> {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const answer = await host.fetch("/npm/-/npm/v1/keys");
    if (answer.ok) return ((await answer.json()) as { keys: readonly Key[] }).keys;
    await delay(100);
  }
  throw new Error(`no keys: ${host.output()}`);
}
