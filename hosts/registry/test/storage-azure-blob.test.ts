import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  createTestServerCertificate,
  pemOf,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { afterAll, expect, test } from "vitest";
import {
  AZURITE_ACCOUNT,
  AZURITE_KEY,
  startAzurite,
  startIdentityEndpoint,
} from "../../../packages/storage-azure-blob/src/testing/index.ts";
import { isExtended, runCli, spawnHost } from "../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";
import { openFolder } from "./clients/client.ts";
import { parseIni, readManual, textsOf } from "./manual-page.ts";
import { expectRoundTrip, ROUND_TRIP_SETTINGS } from "./store-round-trip.ts";

const PAGE = await readManual("../../../docs/storage/azure-blob.md");
const azurite = await startAzurite();
afterAll(() => azurite[Symbol.asyncDispose]());

/** The settings of a block of the page, for the account of Azurite. */
async function settingsOf(block: string): Promise<Readonly<Record<string, string>>> {
  const settings = parseIni(textsOf(PAGE, `ini ${block}`).join(""));
  const container = await azurite.createContainer();
  if (block === "connection") {
    const text = `DefaultEndpointsProtocol=http;AccountName=${AZURITE_ACCOUNT};AccountKey=${AZURITE_KEY};BlobEndpoint=${azurite.url};`;
    expect(settings).toHaveProperty("ConnectionStrings__Artifacts");
    return { ...settings, ConnectionStrings__Artifacts: text, Storage__Container: container };
  }
  const account = { Storage__AccountName: AZURITE_ACCOUNT, Storage__AccessKey: AZURITE_KEY };
  return {
    ...settings,
    ...account,
    Storage__ServiceUrl: azurite.url,
    Storage__Container: container,
  };
}

test.each(isExtended ? ["key", "connection"] : ["connection"])(
  "a host with the settings %s of docs/storage/azure-blob.md stores and serves all artifacts",
  async (block) => {
    const settings = await settingsOf(block);
    await using host = await spawnHost({ env: { ...ROUND_TRIP_SETTINGS, ...settings } });
    await expectRoundTrip(host);
    const { code, stderr } = await host.cli("config", "check");
    expect(code, stderr).toBe(0);
    expect(host.output()).not.toContain(AZURITE_KEY);
  },
);

test("with Storage__RedirectDownloads, downloads of all protocols come from the store", async () => {
  const env = {
    ...ROUND_TRIP_SETTINGS,
    ...(await settingsOf("key")),
    Storage__RedirectDownloads: "true",
  };
  await using host = await spawnHost({ env });
  const token = await host.makeToken({ scopes: "read,write" });
  // Smaller layers that are read again come from the memory of the host.
  const layer = randomBytes(2_000_000);
  const stored = gzipSync(layer, { level: 0 });
  const artifacts = [
    nugetArtifact("Acme.Redirected", randomBytes(100_000)),
    npmArtifact("acme-redirected", randomBytes(100_000)),
    ociArtifact("acme/redirected", layer),
  ];
  for (const artifact of artifacts) expect(await artifact.push(host, token)).toBe(true);
  const addressOf = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await host.fetch(path, { redirect: "manual", headers });
    await response.arrayBuffer();
    return `${response.status} ${response.headers.get("location") ?? "no location"}`;
  };
  const digest = createHash("sha256").update(stored).digest("hex");
  const blob = `/v2/acme/redirected/blobs/sha256:${digest}`;
  const basic = `Basic ${Buffer.from(`t:${token}`).toString("base64")}`;
  expect(await addressOf(blob, { authorization: basic })).toMatch(`307 ${azurite.url}/`);
  const signed = "/v3/package/acme.redirected/1.0.0/acme.redirected.1.0.0.nupkg";
  const whole = Buffer.from(await (await host.fetch(signed)).arrayBuffer());
  // The first download is served by the host, which copies the signed package at the same time.
  await expect.poll(() => addressOf(signed), { timeout: 20_000 }).toMatch(`302 ${azurite.url}/`);
  expect(whole.equals(Buffer.from(await (await host.fetch(signed)).arrayBuffer()))).toBe(true);
  for (const artifact of artifacts) expect(await artifact.check(host)).toBe("whole");
  const check = await host.cli("check", "--scrub");
  expect(check.code, check.stderr).toBe(0);
});

test("Storage__RedirectDownloads with a store without URLs does not start", async () => {
  await using folder = await openFolder();
  const env = { Storage__RedirectDownloads: "true", ASPNETCORE_ENVIRONMENT: "Development" };
  const { code, stderr } = await runCli(["serve"], { folder: folder.path, env });
  expect(stderr).toMatch(
    /Storage__RedirectDownloads: the storage FileSystem has no presigned URLs/,
  );
  expect(code).toBe(78);
});

const IDENTITIES = [
  [{ Storage__ManagedIdentityClientId: "22222222-2222-4222-8222-222222222222" }, "22222222"],
  [{}, "system"],
] as const;
test.each(isExtended ? IDENTITIES : IDENTITIES.slice(0, 1))(
  "a host with the settings identity of docs/storage/azure-blob.md and %j signs in as %s",
  async (settings, clientId) => {
    await using folder = await openFolder();
    const inFolder = (name: string) => join(folder.path, name);
    const root = pemOf(await testRootCertificate());
    const { key, cert } = await createTestServerCertificate();
    for (const [name, text] of Object.entries({ root, key, cert })) {
      await writeFile(inFolder(`${name}.pem`), text);
    }
    setDefaultCACertificates([...getCACertificates("default"), root]);
    await using identity = await startIdentityEndpoint();
    await using secure = await startAzurite({
      tls: { key: inFolder("key.pem"), cert: inFolder("cert.pem") },
    });
    const env = {
      ...ROUND_TRIP_SETTINGS,
      ...parseIni(textsOf(PAGE, "ini identity").join("")),
      ...settings,
      ...identity.environment,
      Storage__ServiceUrl: secure.url,
      Storage__Container: await secure.createContainer(),
      NODE_EXTRA_CA_CERTS: inFolder("root.pem"),
    };
    await using host = await spawnHost({ env });
    await expectRoundTrip(host);
    expect(identity.clientIds[0]).toMatch(clientId);
  },
);

test.each([
  ["Storage__Container", "missing", /Storage__Container: the account has no container "missing"/],
  ["Storage__AccessKey", "c29tZSBvdGhlciBrZXk=", /Storage__AccessKey: Azure refuses these/],
  ["Storage__AccessKey", "", /Storage__AccessKey: is required/],
])("a host with %s=%s does not start", async (key, value, reason) => {
  await using folder = await openFolder();
  const env = { ...(await settingsOf("key")), [key]: value, ASPNETCORE_ENVIRONMENT: "Development" };
  const { code, stderr } = await runCli(["serve"], { folder: folder.path, env });
  expect(stderr).toMatch(reason);
  expect(code).toBe(78);
});
