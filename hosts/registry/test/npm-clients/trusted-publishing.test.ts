import type { IdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { openIdTokenIssuerStandIn } from "@sealhouse/identity/testing";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isExtended } from "../../src/testing/index.ts";
import type { Ran } from "../clients/client.ts";
import { WORDS } from "./client-words.ts";
import { expectGolden } from "./golden.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

/** Clients that request a token for a build job. */
const PUBLISHING = ["npm-11", "npm-12", "pnpm-12", "yarn-4"] as const;
const TRUSTING = ["npm-11", "npm-12"] as const;
const publishing = PUBLISHING.filter((name) => testedClients().includes(name));
const trusting = TRUSTING.filter((name) => testedClients().includes(name));
const SLOW_MS = 240_000;

const run = {
  repository: "acme/demo",
  repository_id: "7",
  repository_owner_id: "1",
  workflow_ref: "acme/demo/.github/workflows/publish.yml@refs/heads/main",
  environment: "npm",
};
const pipeline = {
  project_path: "acme/demo",
  ci_config_ref_uri: "127.0.0.1/acme/demo//.gitlab-ci.yml@refs/heads/main",
};
const circle = {
  "oidc.circleci.com/org-id": "5a5e0e3c-8d8b-4c4f-9b3b-0f6a54cfd5a1",
  "oidc.circleci.com/project-id": "c1b3d8a2-6c1e-4b7f-8f0a-6f2f5b8f6f11",
  "oidc.circleci.com/pipeline-definition-id": "0d4f0d8e-62d9-4f4b-b0b1-3f8d3b0a9c77",
  "oidc.circleci.com/vcs-origin": "github.com/acme/demo",
};
const github = {
  type: "github",
  claims: {
    repository: "acme/demo",
    workflow_ref: { file: "publish.yml" },
    environment: "npm",
  },
  permissions: ["createPackage"],
};

describe.skipIf(publishing.length === 0)("publishing without a secret", () => {
  const cleanUp = new AsyncDisposableStack();
  let issuer: IdTokenIssuerStandIn;
  let clients: NpmClients;

  beforeAll(async () => {
    issuer = cleanUp.use(await openIdTokenIssuerStandIn());
    const env = {
      Feed__Authentication__AllowAnonymousPull: "false",
      Feed__Npm__TrustedPublishing__Audiences__0: "npm:127.0.0.1",
      Feed__Npm__TrustedPublishing__GitHub__Issuer: issuer.issuer,
      Feed__Npm__TrustedPublishing__GitLab__Issuer: issuer.issuer,
      Feed__Npm__TrustedPublishing__CircleCI__Issuer: issuer.issuer,
      Host__OutgoingRequests__AllowPrivateAddresses: "true",
    };
    clients = cleanUp.use(await openNpmClients({ only: publishing, env }));
    for (const client of clients.all) await client.useToken(undefined);
  });
  afterAll(() => cleanUp.disposeAsync());

  async function trust(name: string, publisher: object = github): Promise<string> {
    const body = JSON.stringify([publisher]);
    const headers = { "content-type": "application/json", ...bearer(clients.token) };
    const path = `/npm/-/package/${name.replace("/", "%2f")}/trust`;
    const answer = await clients.host.fetch(path, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    const [added] = (await answer.json()) as readonly { readonly id: string }[];
    return added?.id ?? "";
  }

  async function publish(
    client: NpmClient,
    called: string,
    { version = "1.0.0", env = issuer.environment } = {},
  ): Promise<Ran> {
    const cwd = await client.source(called, version);
    if (client.name === "yarn-4") await client.run(WORDS["yarn-4"].install, { cwd });
    client.requests();
    return client.run(WORDS[client.name].publish, { cwd, env });
  }

  async function manifestOf(name: string, version = "1.0.0") {
    const path = `/npm/${name.replace("/", "%2f")}/${version}`;
    const answer = await clients.host.fetch(path, { headers: bearer(clients.token) });
    return { status: answer.status, ...((await answer.json()) as { readonly _npmUser?: object }) };
  }

  test.each(publishing)(
    "%s publishes with the ID token of a job at GitHub",
    async (kind) => {
      const client = clients.client(kind);
      const called = `@acme/by-${kind}`;
      const id = await trust(called);
      issuer.serve(run);
      const published = await publish(client, called);
      expect(published.code, published.output).toBe(0);
      await expectGolden(`${kind}/publish-trusted`, client.requests());
      expect(await manifestOf(called)).toMatchObject({
        status: 200,
        _npmUser: {
          name: "GitHub Actions",
          trustedPublisher: { id: "github", oidcConfigId: `oidc:${id}` },
        },
      });
      const again = await publish(client, called, { version: "1.0.1" });
      expect(again.code, again.output).toBe(0);
    },
    SLOW_MS,
  );

  test.each(publishing)(
    "%s publishes with the ID token of a job at GitLab",
    async (kind) => {
      const client = clients.client(kind);
      const called = `lab-by-${kind}`;
      const claims = {
        project_path: "acme/demo",
        ci_config_ref_uri: { file: ".gitlab-ci.yml" },
      };
      await trust(called, { type: "gitlab", claims, permissions: ["createPackage"] });
      const host = new URL(issuer.issuer).host;
      const ownClaims = {
        ...pipeline,
        ci_config_ref_uri: pipeline.ci_config_ref_uri.replace(/^[^/]+/, host),
      };
      issuer.serve({});
      const token = issuer.token("npm:127.0.0.1", { algorithm: "ES256", claims: ownClaims });
      const env = { CI: "true", GITLAB_CI: "true", NPM_ID_TOKEN: token };
      const published = await publish(client, called, { env });
      expect(published.code, published.output).toBe(0);
      expect(exchangesOf(client)).toEqual([201]);
      // The ID token is the job's for as long as it runs: a repeated exchange replaces the token.
      const again = await publish(client, called, { version: "1.0.1", env });
      expect(again.code, again.output).toBe(0);
      expect(exchangesOf(client)).toEqual([201]);
      if (isNpm(kind)) {
        const tagged = await client.run(["dist-tag", "add", `${called}@1.0.0`, "stable"], { env });
        expect(tagged.code, tagged.output).toBe(0);
        expect(exchangesOf(client)).toEqual([201]);
      }
    },
    SLOW_MS,
  );

  test.skipIf(!trusting.includes("npm-12"))(
    "npm-12 publishes ten packages of a workspace with the one ID token of a GitLab job",
    async () => {
      const client = clients.client("npm-12");
      const job = ["--provider", "gitlab", "--repo", "acme/demo", "--file", ".gitlab-ci.yml"];
      const words = ["pipeline", "add", "@ten/*", ...job, "--protocols", "npm", "--may-create"];
      expect((await clients.host.cli(...words)).code).toBe(0);
      const names = Array.from({ length: 10 }, (_, index) => `@ten/package-${index}`);
      const manifests = names.map((name, index) => [
        `packages/${index}/package.json`,
        JSON.stringify({ name, version: "1.0.0" }),
      ]);
      const root = { name: "root", version: "1.0.0", private: true, workspaces: ["packages/*"] };
      const cwd = await client.folder(root, Object.fromEntries(manifests));
      issuer.serve({});
      const { host } = new URL(issuer.issuer);
      const file = pipeline.ci_config_ref_uri.replace(/^[^/]+/, host);
      const claims = { ...pipeline, project_id: "7", namespace_id: "1", ci_config_ref_uri: file };
      const token = issuer.token("npm:127.0.0.1", { claims });
      const env = { CI: "true", GITLAB_CI: "true", NPM_ID_TOKEN: token };
      client.requests();
      const published = await client.run(["publish", "--workspaces", "--access=public"], {
        cwd,
        env,
      });
      expect(published.code, published.output).toBe(0);
      expect(exchangesOf(client)).toEqual(names.map(() => 201));
      const manifest = await Promise.all(names.map((name) => manifestOf(name)));
      expect(manifest.map(({ status }) => status)).toEqual(names.map(() => 200));
    },
    SLOW_MS,
  );

  test.each(trusting)(
    "%s publishes and tags with the ID token of a job at CircleCI",
    async (kind) => {
      const client = clients.client(kind);
      const called = `circle-by-${kind}`;
      const permissions = ["createPackage"];
      const id = await trust(called, { type: "circleci", claims: circle, permissions });
      issuer.serve({});
      const token = issuer.token("npm:127.0.0.1", { claims: circle });
      const env = { CI: "true", CIRCLECI: "true", NPM_ID_TOKEN: token };
      const published = await publish(client, called, { env });
      expect(published.code, published.output).toBe(0);
      expect(exchangesOf(client)).toEqual([201]);
      expect(await manifestOf(called)).toMatchObject({
        _npmUser: { trustedPublisher: { id: "circleci", oidcConfigId: `oidc:${id}` } },
      });
      const tagged = await client.run(["dist-tag", "add", `${called}@1.0.0`, "stable"], { env });
      expect(tagged.code, tagged.output).toBe(0);
      expect(exchangesOf(client)).toEqual([201]);
      const other = { ...circle, "oidc.circleci.com/project-id": run.repository_id };
      env.NPM_ID_TOKEN = issuer.token("npm:127.0.0.1", { claims: other });
      const refused = await publish(client, called, { version: "1.0.1", env });
      expect(refused.code, refused.output).not.toBe(0);
      expect(exchangesOf(client)).toEqual([404]);
    },
    SLOW_MS,
  );

  const wrong: readonly (readonly [what: string, said: object, status: number])[] = [
    ["repository", { repository: "acme/other" }, 404],
    ["workflow", { workflow_ref: run.workflow_ref.replace("publish", "test") }, 404],
    ["environment", { environment: "test" }, 404],
    ["repository of the same name", { repository_id: "8" }, 404],
    ["audience", { aud: "npm:elsewhere.test" }, 401],
    ["issuer", { iss: "https://elsewhere.test" }, 401],
    ["end", { exp: Math.floor(Date.now() / 1000) - 60 }, 401],
    ["beginning", { nbf: Math.floor(Date.now() / 1000) + 3600 }, 401],
  ];

  test.each(publishing.filter((name) => name === "pnpm-12" || (isExtended && name !== "npm-11")))(
    "%s cannot publish with an ID token of another kind",
    async (kind) => {
      const client = clients.client(kind);
      const called = `refused-to-${kind}`;
      await trust(called);
      issuer.serve(run);
      expect((await publish(client, called, { version: "0.0.1" })).code).toBe(0);
      for (const [what, changes, status] of wrong) {
        issuer.serve({ ...run, ...changes });
        const refused = await publish(client, called);
        expect(refused.code, `${what}: ${refused.output}`).not.toBe(0);
        expect(exchangesOf(client), what).toEqual([status]);
      }
      expect((await manifestOf(called)).status).toBe(404);
      issuer.serve(run);
      const published = await publish(client, called);
      expect(published.code, published.output).toBe(0);
    },
    SLOW_MS,
  );

  test("what a job gets publishes its package, nothing else, and ends with the trust", async () => {
    const { host, token: own } = clients;
    const id = await trust("@acme/limited");
    issuer.serve(run);
    const path = "/-/npm/v1/oidc/token/exchange/package/@acme%2flimited";
    const idToken = issuer.token("npm:127.0.0.1:8080");
    const answer = await host.fetch(path, { method: "POST", headers: bearer(idToken) });
    expect(answer.status).toBe(201);
    const made = (await answer.json()) as Readonly<Record<string, string>>;
    expect(made["token_type"]).toBe("oidc");
    const lifetimeMs = Date.parse(made["expires"] ?? "") - Date.parse(made["created"] ?? "");
    expect(lifetimeMs).toBe(15 * 60_000);

    const send = async (method: string, to: string, body?: string) => {
      const type = { "content-type": "application/json", ...bearer(made["token"] ?? "") };
      const sent = { method, headers: type, ...(body !== undefined && { body }) };
      return (await host.fetch(`/npm${to}`, sent)).status;
    };
    const name = "@acme/limited";
    const packagePath = "/@acme%2flimited";
    expect(await send("PUT", packagePath, publishBody({ name }))).toBe(200);
    expect(await send("PUT", `/-/package${packagePath}/dist-tags/beta`, '"1.0.0"')).toBe(200);
    expect(await send("GET", packagePath)).toBe(200);
    const deprecation = JSON.stringify({ name, versions: { "1.0.0": { deprecated: "x" } } });
    expect(await send("PUT", packagePath, deprecation)).toBe(403);
    expect(await send("PUT", "/other", publishBody({ name: "other" }))).toBe(403);
    expect(await send("GET", `/@acme%2fby-npm-12`)).toBe(404);
    expect(await send("DELETE", `${packagePath}/-rev/1-x`)).toBe(403);
    expect(await send("GET", `/-/package${packagePath}/trust`)).toBe(403);
    expect(await send("POST", `/-/package${packagePath}/trust`, JSON.stringify([github]))).toBe(
      403,
    );
    expect(await send("POST", "/-/npm/v1/tokens", '{"name":"x","password":"x"}')).toBe(403);
    expect(await send("GET", "/-/v1/search?text=acme")).toBe(403);

    const gone = `/npm/-/package${packagePath}/trust/${id}`;
    expect((await host.fetch(gone, { method: "DELETE", headers: bearer(own) })).status).toBe(204);
    expect(await send("GET", "/-/whoami")).toBe(401);
    expect(host.output()).not.toContain(made["token"]);
    expect(host.output()).not.toContain(idToken);
  });

  test("a job that may only stage creates no tokens", async () => {
    const { host } = clients;
    await trust("staged-only", { ...github, permissions: ["createStagedPackage"] });
    issuer.serve(run);
    const idToken = issuer.token("npm:127.0.0.1");
    const exchange = async () => {
      const path = "/-/npm/v1/oidc/token/exchange/package/staged-only";
      const answer = await host.fetch(path, { method: "POST", headers: bearer(idToken) });
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { readonly token: string }).token;
    };
    const jobs = [await exchange(), await exchange()];
    const statuses = jobs.map(async (token) => {
      const headers = { "content-type": "application/json", ...bearer(token) };
      const body = '{"name":"x","password":"x"}';
      const made = await host.fetch("/npm/-/npm/v1/tokens", { method: "POST", headers, body });
      return `${made.status} ${await made.text()}`;
    });
    const [former, current] = await Promise.all(statuses);
    expect(former).toMatch(/^401 /);
    expect(current).toMatch(/^403 .*can only stage, so it cannot create tokens/);
  });

  function exchangesOf(client: NpmClient): readonly number[] {
    const requests = client.requests().filter(({ path }) => path.includes("/oidc/"));
    const prefix = isNpm(client.name) ? "/-/" : "/npm/-/";
    for (const { path } of requests) expect(path.startsWith(prefix), path).toBe(true);
    return requests.map(({ status }) => status);
  }
});

describe.skipIf(trusting.length === 0)("npm trust", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    const env = { Feed__Npm__StepUp__Enabled: "true" };
    clients = await openNpmClients({ only: trusting, env });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  /** As often as an operator has to confirm it. */
  async function confirmed(client: NpmClient, words: readonly string[]): Promise<Ran> {
    const attempt = await client.run(words);
    expect(attempt.output).toContain("EOTP");
    const code = /\/sign-in\/([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(attempt.output)?.[1] ?? "";
    const agreed = await clients.host.cli("npm", "confirm", code);
    expect(agreed.stderr).toContain("trust-change by alice");
    return client.run([...words, `--otp=${code}`]);
  }

  test.each(trusting)(
    "%s sets up, lists and revokes trusted publishers",
    async (kind) => {
      const client = clients.client(kind);
      const called = `@acme/trusting-${kind}`;
      const none = await client.run(["trust", "list", called]);
      expect(none.output).toContain("No trust configurations found");
      client.requests();
      const hub = ["--file=publish.yml", "--repo=acme/demo", "--env=npm", "--allow-publish"];
      const added = await confirmed(client, ["trust", "github", called, ...hub, "--yes"]);
      expect(added.code, added.output).toBe(0);
      expect(added.output).toContain("Trust configuration created successfully");
      const lab = ["--file=.gitlab-ci.yml", "--project=acme/a/demo", "--allow-stage-publish"];
      const other = await confirmed(client, ["trust", "gitlab", called, ...lab, "--yes"]);
      expect(other.code, other.output).toBe(0);

      const listed = await client.run(["trust", "list", called]);
      expect(listed.stdout).toMatch(/type: github\nid: (\S+)\nfile: publish.yml/);
      expect(listed.stdout).toMatch(
        /repository: acme\/demo\nenvironment: npm\npermissions: publish/,
      );
      expect(listed.stdout).toMatch(/project: acme\/a\/demo\npermissions: stage publish/);
      const id = /id: (\S+)/.exec(listed.stdout)?.[1] ?? "";
      const revoked = await confirmed(client, ["trust", "revoke", called, `--id=${id}`]);
      expect(revoked.code, revoked.output).toBe(0);
      expect((await client.run(["trust", "list", called])).stdout).not.toContain("acme/demo");
      const requests = client
        .requests()
        .map((request) => ({ ...request, path: request.path.replace(id, "<id>") }));
      await expectGolden(`${kind}/trust`, requests);
    },
    SLOW_MS,
  );
});

function isNpm(name: ClientName): boolean {
  return name === "npm-11" || name === "npm-12";
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}
