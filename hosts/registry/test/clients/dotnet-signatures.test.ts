import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { pemOf, testRootCertificate, trustingSdk } from "@sealhouse/repo-signing/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { startHost } from "../../src/testing/index.ts";
import { makeServerCertificate } from "./certificate-authority.ts";
import { hasClient, openFolder } from "./client.ts";
import type { DotnetClient } from "./dotnet-client.ts";
import { createDotnetClient } from "./dotnet-client.ts";
import { openStampServer } from "./stamp-server.ts";

/** The case that matters: https, verification on, and our root among the trusted ones. */
describe.skipIf(!hasClient("dotnet"))("dotnet verifies what the host signed, over https", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let client: DotnetClient;
  let distrusting: DotnetClient;
  const unsigned = buildNupkg({ id: "Acme.Sealed", version: "1.0.0", files: { "a.txt": "a" } });

  beforeAll(async () => {
    const folder = cleanUp.use(await openFolder()).path;
    const tls = await makeServerCertificate(folder);
    const stamps = cleanUp.use(await openStampServer());
    host = cleanUp.use(
      await startHost({
        scheme: "https",
        authority: tls.authority,
        env: {
          Kestrel__Certificates__Default__Path: tls.certificate,
          Kestrel__Certificates__Default__KeyPath: tls.key,
          Signing__TimestampServerUrl: stamps.url,
          Host__OutgoingRequests__AllowPrivateAddresses: "true",
        },
      }),
    );
    const token = await host.makeToken({ scopes: "read,write" });
    const answer = await host.fetch("/api/v2/package/", {
      method: "PUT",
      headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
      body: unsigned,
    });
    expect(answer.status).toBe(201);

    const source = `${host.url}/v3/index.json`;
    const env = { SSL_CERT_FILE: tls.authority, DOTNET_NUGET_SIGNATURE_VERIFICATION: "true" };
    const roots = {
      codeSigning: [await signingCertificate()],
      timestamping: [pemOf(await testRootCertificate())],
    };
    const sdk = await trustingSdk(roots, join(folder, "sdk"));
    client = await createDotnetClient({
      folder,
      source,
      dotnet: sdk.dotnet,
      env: { ...env, DOTNET_ROOT: join(folder, "sdk") },
    });
    const other = cleanUp.use(await openFolder()).path;
    distrusting = await createDotnetClient({ folder: other, source, env });
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  async function signingCertificate(): Promise<string> {
    const index = (await (await host.fetch("/v3/repository-signatures/index.json")).json()) as {
      signingCertificates: { contentUrl: string }[];
    };
    const url = new URL(index.signingCertificates[0]?.contentUrl ?? "");
    const der = Buffer.from(await (await host.fetch(url.pathname)).arrayBuffer());
    return pemOf(der);
  }

  test("dotnet nuget verify --all accepts the served package", async () => {
    const answer = await host.fetch("/v3/package/acme.sealed/1.0.0/acme.sealed.1.0.0.nupkg");
    const path = join(client.folder, "served.nupkg");
    await writeFile(path, Buffer.from(await answer.arrayBuffer()));
    const verified = await client.run(["nuget", "verify", "--all", path]);
    expect(verified.output).toContain("Signature type: Repository");
    expect(verified.output).not.toMatch(/NU\d{4}/);
    expect(verified.code).toBe(0);
    const contentHash = createHash("sha512").update(unsigned).digest("base64");
    expect(verified.output).toContain(contentHash);
  });

  test("restore takes the signed package without a warning", async () => {
    const project = await client.consumer({ id: "Acme.Sealed", version: "1.0.0" });
    const restored = await client.run(["restore", "--use-lock-file"], project);
    expect(restored.output).not.toMatch(/NU\d{4}/);
    expect(restored.code).toBe(0);
    const lock = await readFile(join(project, "packages.lock.json"), "utf8");
    const contentHash = createHash("sha512").update(unsigned).digest("base64");
    expect(lock).toContain(contentHash);
  });

  test("restore without our root warns, and says which certificate it misses", async () => {
    const project = await distrusting.consumer({ id: "Acme.Sealed", version: "1.0.0" });
    const restored = await distrusting.run(["restore"], project);
    expect(restored.output).toContain("NU3018");
    expect(restored.code).toBe(0);
  });
});
