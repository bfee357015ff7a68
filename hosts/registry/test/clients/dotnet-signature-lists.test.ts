import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ran } from "./client.ts";
import { hasClient } from "./client.ts";
import type { Rewrite } from "./rewriting-proxy.ts";
import { openRewritingProxy } from "./rewriting-proxy.ts";
import type { SignedFeed } from "./signed-feed.ts";
import { openSignedFeed } from "./signed-feed.ts";

const SIGNATURES = "/v3/repository-signatures/index.json";
const INDEX = "/v3/index.json";
const CONTENT = { id: "Acme.Listed", version: "1.0.0" } as const;

type Document = {
  readonly allRepositorySigned: boolean;
  readonly signingCertificates: readonly Readonly<Record<string, unknown>>[];
};

/** The client's reaction to a list: ours, and variants with errors. */
describe.skipIf(!hasClient("dotnet"))("dotnet goes by the list of signing certificates", () => {
  const cleanUp = new AsyncDisposableStack();
  let feed: SignedFeed;
  let unsigned: Uint8Array;
  let trustingDotnet: string;

  beforeAll(async () => {
    feed = cleanUp.use(await openSignedFeed());
    unsigned = await feed.put(CONTENT.id);
    trustingDotnet = await feed.trustingDotnet();
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  /** Restores from a feed that answers otherwise. */
  async function restore(rewrite: Rewrite, dotnet = "dotnet"): Promise<Ran> {
    await using proxy = await openRewritingProxy(feed.host, feed.tls, rewrite);
    const client = await feed.client({ source: `${proxy.url}${INDEX}`, dotnet });
    return await client.run(["restore"], await client.consumer(CONTENT));
  }

  test("a feed that claims to sign everything needs a root that the client trusts", async () => {
    const claiming = rewriting({ allRepositorySigned: true });
    const distrusting = await restore(claiming);
    expect(distrusting.output).toMatch(/error NU3018/);
    expect(distrusting.code).toBe(1);
    const trusting = await restore(claiming, trustingDotnet);
    expect(trusting.output).not.toMatch(/error|NU3018|NU3034/);
    expect(trusting.code).toBe(0);
  });

  test("one unsigned version makes that claim wrong, so the host does not make it", async () => {
    const claiming = rewriting({ allRepositorySigned: true });
    const restored = await restore(
      (path, answer) => (path.endsWith(".nupkg") ? new Response(unsigned) : claiming(path, answer)),
      trustingDotnet,
    );
    expect(restored.output).toMatch(/error NU3004/);
    expect(restored.code).toBe(1);
    expect(await documentOf(feed)).toMatchObject({ allRepositorySigned: false });
  });

  test("warns about an unlisted certificate, so the host lists its own", async () => {
    const [listed] = (await documentOf(feed)).signingCertificates;
    const fingerprints = { "2.16.840.1.101.3.4.2.1": "ab".repeat(32) };
    const others = { signingCertificates: [{ ...listed, fingerprints }] };
    const warned = await restore(rewriting(others), trustingDotnet);
    expect(warned.output).toMatch(/warning NU3034/);
    expect(warned.code).toBe(0);
    const refused = await restore(rewriting({ ...others, allRepositorySigned: true }));
    expect(refused.output).toMatch(/error NU3034/);
    expect(refused.code).toBe(1);
    const ours = await restore((_, answer) => answer, trustingDotnet);
    expect(ours.output).not.toContain("NU3034");
    expect(ours.code).toBe(0);
  });

  test("without the list there is no package, so the host is careful where it names it", async () => {
    const broken = await restore((path, answer) =>
      path === SIGNATURES ? new Response("out of order", { status: 500 }) : answer,
    );
    expect(broken.output).toContain("repository-signatures");
    expect(broken.code).toBe(1);
    const insecure = await restore(async (path, answer) =>
      path === INDEX
        ? new Response((await answer.text()).replace(/https(?=:[^"]*signatures)/g, "http"))
        : answer,
    );
    expect(insecure.output).toContain("NU1302");
    expect(insecure.code).toBe(1);
    const overHttp = await feed.host.fetch(INDEX, { headers: { "x-forwarded-proto": "http" } });
    expect(await overHttp.text()).not.toContain("RepositorySignatures");
    expect(await (await feed.host.fetch(INDEX)).text()).toContain("RepositorySignatures/5.0.0");
  });
});

function rewriting(changed: Partial<Document>): Rewrite {
  return async (path, answer) => {
    if (path !== SIGNATURES) return answer;
    return Response.json({ ...((await answer.json()) as Document), ...changed });
  };
}

async function documentOf({ host }: SignedFeed): Promise<Document> {
  return (await (await host.fetch(SIGNATURES)).json()) as Document;
}
