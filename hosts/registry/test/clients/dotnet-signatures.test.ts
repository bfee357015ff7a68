import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasClient } from "./client.ts";
import type { DotnetClient } from "./dotnet-client.ts";
import type { SignedFeed } from "./signed-feed.ts";
import { openSignedFeed } from "./signed-feed.ts";
import { openStampServer } from "./stamp-server.ts";

const CONTENT = { id: "Acme.Sealed", version: "1.0.0" } as const;
const REQUIRE = '<config><add key="signatureValidationMode" value="require" /></config>\n';

/** The case that matters: https, verification on, and our root among the trusted ones. */
describe.skipIf(!hasClient("dotnet"))("dotnet verifies what the host signed, over https", () => {
  const cleanUp = new AsyncDisposableStack();
  let feed: SignedFeed;
  let trusting: DotnetClient;
  let distrusting: DotnetClient;
  let served: string;
  let contentHash: string;

  beforeAll(async () => {
    const stamps = cleanUp.use(await openStampServer());
    feed = cleanUp.use(
      await openSignedFeed({
        env: {
          Signing__TimestampServerUrl: stamps.url,
          Host__OutgoingRequests__AllowPrivateAddresses: "true",
        },
      }),
    );
    const pushed = await feed.put(CONTENT.id);
    contentHash = createHash("sha512").update(pushed).digest("base64");
    served = await feed.served(CONTENT.id);
    trusting = await feed.client({ dotnet: await feed.trustingDotnet() });
    distrusting = await feed.client();
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  test("dotnet nuget verify --all accepts the served package", async () => {
    const verified = await trusting.run(["nuget", "verify", "--all", served]);
    expect(verified.output).toContain("Signature type: Repository");
    expect(verified.output).not.toMatch(/NU\d{4}/);
    expect(verified.code).toBe(0);
    expect(verified.output).toContain(contentHash);
  });

  test("dotnet nuget verify --all refuses it without our root, and prints the root", async () => {
    const verified = await distrusting.run(["nuget", "verify", "--all", served]);
    expect(verified.output).toContain("NU3018");
    expect(verified.output).toContain("NU3042");
    expect(verified.output).toContain("-----BEGIN CERTIFICATE-----");
    expect(verified.code).toBe(1);
  });

  test("restore takes the signed package without a warning", async () => {
    const project = await trusting.consumer(CONTENT);
    const restored = await trusting.run(["restore", "--use-lock-file"], project);
    expect(restored.output).not.toMatch(/NU\d{4}/);
    expect(restored.code).toBe(0);
    const lock = await readFile(join(project, "packages.lock.json"), "utf8");
    expect(lock).toContain(contentHash);
  });

  test("restore without our root warns and names the missing certificate", async () => {
    const project = await distrusting.consumer(CONTENT);
    const restored = await distrusting.run(["restore"], project);
    expect(restored.output).toMatch(/warning NU3018/);
    expect(restored.code).toBe(0);
  });

  test("a client that requires signatures and trusts no root refuses our packages", async () => {
    const strict = await feed.client({ config: REQUIRE });
    const project = await strict.consumer(CONTENT);
    const restored = await strict.run(["restore"], project);
    expect(restored.output).toMatch(/error NU3034/);
    expect(restored.code).toBe(1);
  });
});
