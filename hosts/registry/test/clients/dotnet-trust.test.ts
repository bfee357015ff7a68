import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TrustingSdk } from "@sealhouse/repo-signing/testing";
import { runDotnet, trustingSdk } from "@sealhouse/repo-signing/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder, run } from "./client.ts";
import type { SignedFeed } from "./signed-feed.ts";
import { openSignedFeed } from "./signed-feed.ts";

const CONTENT = { id: "Acme.Trusted", version: "1.0.0" } as const;
const REQUIRE = '<config><add key="signatureValidationMode" value="require" /></config>\n';

/** Executes every line of the page literally. */
describe.skipIf(!hasClient("dotnet"))("what the page about trust says makes dotnet trust", () => {
  const cleanUp = new AsyncDisposableStack();
  let feed: SignedFeed;
  let served: string;
  let page: string;
  let signers: string;

  beforeAll(async () => {
    feed = cleanUp.use(await openSignedFeed());
    await feed.put(CONTENT.id);
    served = await feed.served(CONTENT.id);
    page = await (await feed.host.fetch("/trust")).text();
    signers = linesOf(page, "signers");
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  const inLowerCase = (text: string): string =>
    text.replace(/[\dA-F]{64}/, (fingerprint) => fingerprint.toLowerCase());

  /** A copy of the SDK without trusted roots, and a shell in which it is `dotnet`. */
  async function machine(): Promise<TrustingSdk & { shell(lines: string): Promise<Ran> }> {
    const folder = cleanUp.use(await openFolder()).path;
    const sdk = await trustingSdk({ codeSigning: [], timestamping: [] }, join(folder, "sdk"));
    const env = { ...sdk.env, CURL_CA_BUNDLE: feed.tls.authority };
    return { ...sdk, shell: (lines) => run("sh", ["-ec", lines], { cwd: folder, env }) };
  }

  test("its element in nuget.config, in upper case alone", async () => {
    const trusting = await feed.client({ config: signers });
    const verified = await trusting.run(["nuget", "verify", "--all", served]);
    expect(verified.output).not.toMatch(/NU30(?!27)\d\d/);
    expect(verified.code).toBe(0);
    const wrong = await feed.client({ config: inLowerCase(signers) });
    const refused = await wrong.run(["nuget", "verify", "--all", served]);
    expect(refused.output).toContain("NU3018");
    expect(refused.code).toBe(1);
  });

  extendedTest("its element, where signatures are required", async () => {
    const trusting = await feed.client({ config: REQUIRE + signers });
    const restored = await trusting.run(["restore"], await trusting.consumer(CONTENT));
    expect(restored.output).not.toMatch(/error|NU30(?!27)\d\d/);
    expect(restored.code).toBe(0);
    const wrong = await feed.client({ config: REQUIRE + inLowerCase(signers) });
    const refused = await wrong.run(["restore"], await wrong.consumer(CONTENT));
    expect(refused.output).toMatch(/error NU3018/);
    expect(refused.code).toBe(1);
  });

  test("its line for dotnet nuget trust", async () => {
    const sdk = await machine();
    const lines = linesOf(page, "trust");
    const done = await sdk.shell(`dotnet new nugetconfig\n${lines}`);
    expect(done.output).toContain("Successfully added");
    const verified = await sdk.shell(`dotnet nuget verify --all ${served}`);
    expect(verified.output).not.toContain("NU3018");
    expect(verified.code).toBe(0);
  });

  extendedTest("its lines for a container", async () => {
    const sdk = await machine();
    const refused = await runDotnet(sdk, ["nuget", "verify", "--all", served]);
    expect(refused.output).toContain("NU3018");
    const done = await sdk.shell(linesOf(page, "container-0").replaceAll(/^RUN /gm, ""));
    expect(done).toMatchObject({ code: 0, output: "" });
    const verified = await runDotnet(sdk, ["nuget", "verify", "--all", served]);
    expect(verified.output).not.toContain("NU3018");
    expect(verified.code).toBe(0);
  });

  test("its certificates are those that sign", async () => {
    const href = /href="([^"]*\.crt)"/.exec(page)?.[1] ?? "";
    const der = Buffer.from(await (await feed.host.fetch(href)).arrayBuffer());
    expect((await feed.certificates()).map((certificate) => Buffer.from(certificate))).toEqual([
      der,
    ]);
    expect((await readFile(served)).includes(der)).toBe(true);
  });
});

/** The text that the copy button of these lines copies. */
function linesOf(page: string, id: string): string {
  const markup = new RegExp(`<pre id="lines-${id}"><code>(.*?)</code></pre>`, "s").exec(page)?.[1];
  if (markup === undefined) throw new Error(`The page has no lines called ${id}.`);
  return markup
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
