import { once } from "node:events";
import { request } from "node:http";
import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { openIdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasClient } from "./client.ts";
import type { DotnetFeed } from "./dotnet-feed.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";

const OURS = "https://feed.test";
const run = {
  repository: "acme/demo",
  repository_id: "7",
  repository_owner_id: "1",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
};

describe.skipIf(!hasClient("dotnet"))("publishing NuGet packages without a secret", () => {
  const cleanUp = new AsyncDisposableStack();
  let issuer: IdTokenIssuerStandIn;
  let feed: DotnetFeed;

  beforeAll(async () => {
    issuer = cleanUp.use(await openIdTokenIssuerStandIn());
    issuer.serve(run);
    const env = {
      Feed__Npm__TrustedPublishing__GitHub__Issuer: issuer.issuer,
      Host__OutgoingRequests__AllowPrivateAddresses: "true",
      Host__TrustedPublishing__Audiences__0: OURS,
    };
    feed = cleanUp.use(await openDotnetFeed({ scheme: "http", env }));
    await add("Acme.*", "acme/demo", "--may-create");
    await add("Beta.*", "acme/beta");
  });
  afterAll(() => cleanUp.disposeAsync());

  async function add(names: string, repo: string, ...more: readonly string[]) {
    const job = ["--provider", "github", "--repo", repo, "--file", "publish.yml"];
    const words = ["pipeline", "add", names, ...job, "--protocols", "nuget", ...more];
    const added = await feed.host.cli(...words);
    expect(added.code, added.stderr).toBe(0);
  }

  async function push(id: string, version: string, apiKey = "") {
    const path = await feed.nupkg({ id, version });
    return feed.client.run(["nuget", "push", path, "--source", "sealhouse", "--api-key", apiKey]);
  }

  /** As `NuGet/login` asks. */
  async function login(idToken: string, username = "ci-bot") {
    const headers = {
      authorization: `Bearer ${idToken}`,
      "content-type": "application/json",
      "user-agent": "actions/http-client",
    };
    const body = JSON.stringify({ username, tokenType: "ApiKey" });
    const answer = await feed.host.fetch("/api/v2/token", { method: "POST", headers, body });
    const document = (await answer.json()) as { readonly apiKey?: string; readonly error?: string };
    return { status: answer.status, ...document };
  }

  test("dotnet pushes with the key that a job gets, and only the names of its policy", async () => {
    const { status, apiKey = "" } = await login(issuer.token(OURS));
    expect(status).toBe(200);
    const pushed = await push("Acme.Widgets", "1.0.0", apiKey);
    expect(pushed.code, pushed.output).toBe(0);
    const refused = await push("Other.Widgets", "1.0.0", apiKey);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("403");
    expect(feed.host.output()).not.toContain(apiKey);
    const listed = await feed.host.cli("pipeline", "list");
    expect(listed.stdout).toMatch(/active {2}github {2}acme\/demo {2}nuget: Acme\.\*.*last used/);
  });

  test("a pipeline publishes only names that exist, unless it may create names", async () => {
    const beta = {
      repository: "acme/beta",
      workflow_ref: run.workflow_ref.replace("demo", "beta"),
    };
    const { apiKey } = await login(issuer.token(OURS, { claims: { ...beta, repository_id: "8" } }));
    const refused = await push("Beta.Widgets", "1.0.0", apiKey);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("403");
    await feed.put({ id: "Beta.Widgets", version: "1.0.0" });
    const pushed = await push("Beta.Widgets", "1.1.0", apiKey);
    expect(pushed.code, pushed.output).toBe(0);
  });

  test("a repeated request replaces the key, and a removed pipeline ends it", async () => {
    const idToken = issuer.token(OURS);
    const keys = [(await login(idToken)).apiKey ?? "", (await login(idToken)).apiKey ?? ""];
    const statusWith = async (key: string) => {
      const headers = { "x-nuget-apikey": key, "content-type": "application/octet-stream" };
      const sent = { method: "PUT", headers, body: "x" };
      return (await feed.host.fetch("/api/v2/package/", sent)).status;
    };
    expect(await Promise.all(keys.map(statusWith))).toEqual([403, 400]);
    const shown = await feed.host.cli("pipeline", "list", "--json");
    const [policy] = JSON.parse(shown.stdout) as readonly { readonly id: string }[];
    const removed = await feed.host.cli("pipeline", "remove", policy?.id ?? "");
    expect(removed.code, removed.stderr).toBe(0);
    expect(await statusWith(keys[1] ?? "")).toBe(403);
    expect(await login(issuer.token(OURS))).toMatchObject({ status: 401 });
  });

  test("two Authorization headers are refused", async () => {
    const bearer = `Bearer ${issuer.token(OURS)}`;
    const pairs = {
      host: [new URL(feed.host.url).host],
      authorization: [bearer, bearer],
      "content-type": ["application/json"],
    };
    const sent = request(`${feed.host.url}/api/v2/token`, {
      method: "POST",
      headers: Object.entries(pairs).flatMap(([name, values]) =>
        values.flatMap((one) => [name, one]),
      ),
    });
    sent.end('{"username":"ci-bot","tokenType":"ApiKey"}');
    const [answer] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(401);
  });
});
