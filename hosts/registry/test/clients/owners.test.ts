import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openTestPlace } from "@sealhouse/database/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { extendedTest, spawnHost } from "../../src/testing/index.ts";
import { openNpmClient } from "../npm-clients/npm-client.ts";
import type { NpmClient } from "../npm-clients/npm-client.ts";
import { commandOf } from "../npm-clients/installed-clients.ts";
import { openOwnedRegistry, ownedSettings } from "../owned-registry.ts";
import type { OwnedRegistry } from "../owned-registry.ts";
import { hasClient, openFolder, run } from "./client.ts";
import { writeImageLayout } from "./image-layout.ts";
import type { SignedFeed } from "./signed-feed.ts";
import { openSignedFeed } from "./signed-feed.ts";

type Tokens = { readonly alice: string; readonly bob: string };

async function tokensOf(registry: OwnedRegistry): Promise<Tokens> {
  return {
    alice: await registry.tokenOf("alice", { userId: registry.alice.id }),
    bob: await registry.tokenOf("bob", { userId: registry.bob.id }),
  };
}

describe.skipIf(!hasClient("dotnet"))("dotnet and the owners of packages", () => {
  const cleanUp = new AsyncDisposableStack();
  let feed: SignedFeed;
  let tokens: Tokens;

  beforeAll(async () => {
    const place = cleanUp.use(await openTestPlace("Sqlite"));
    const env = {
      ...ownedSettings(place.config),
      Feed__Authentication__AllowAnonymousPull: "true",
    };
    feed = cleanUp.use(await openSignedFeed({ env }));
    tokens = await tokensOf(cleanUp.use(await openOwnedRegistry(place.config)));
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  async function push(version: string, token: string) {
    const client = await feed.client();
    const path = join(client.folder, `Acme.Owned.${version}.nupkg`);
    await writeFile(path, buildNupkg({ id: "Acme.Owned", version }));
    return client.run(["nuget", "push", path, "--source", "sealhouse", "--api-key", token]);
  }

  /** Restores with signatures required and only these owners trusted. */
  async function restore(owners: string) {
    const page = await (await feed.host.fetch("/trust")).text();
    const markup = /<pre id="lines-signers"><code>(.*?)<\/code><\/pre>/s.exec(page)?.[1] ?? "";
    const signers = markup
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replace("</repository>", `<owners>${owners}</owners></repository>`);
    const mode = '<config><add key="signatureValidationMode" value="require" /></config>\n';
    const client = await feed.client({ config: mode + signers });
    return client.run(["restore"], await client.consumer({ id: "Acme.Owned", version: "1.0.0" }));
  }

  test("the first push owns, and a stranger reads one sentence", async () => {
    const first = await push("1.0.0", tokens.alice);
    expect([first.code, first.output]).toEqual([0, expect.stringContaining("pushed")]);
    const refused = await push("1.1.0", tokens.bob);
    expect(refused.output).toMatch(/403 \(.*acme\.owned belongs to other owners/i);
    expect(refused.code).toBe(1);
  });

  extendedTest("restores what a trusted owner publishes, and nothing of other owners", async () => {
    const trusted = await restore("alice;builders");
    expect(trusted.output).not.toMatch(/error|NU30(?!27)\d\d/);
    expect(trusted.code).toBe(0);
    const refused = await restore("bob");
    expect(refused.output).toMatch(/error NU3034/);
    expect(refused.code).toBe(1);
  });
});

describe("npm, skopeo and the owners of names", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let registry: OwnedRegistry;
  let tokens: Tokens;
  let folder: string;

  beforeAll(async () => {
    const place = cleanUp.use(await openTestPlace("Sqlite"));
    host = cleanUp.use(await spawnHost({ env: ownedSettings(place.config) }));
    registry = cleanUp.use(await openOwnedRegistry(place.config));
    tokens = await tokensOf(registry);
    folder = cleanUp.use(await openFolder()).path;
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  test.skipIf(!hasClient("skopeo"))(
    "skopeo's first push owns, and a stranger's is denied",
    async () => {
      await writeImageLayout(join(folder, "layout"), "1.0");
      const push = (token: string, tag: string) =>
        run(
          "skopeo",
          [
            "--insecure-policy",
            "copy",
            "--dest-tls-verify=false",
            "--dest-creds",
            `me:${token}`,
            `oci:${join(folder, "layout")}:1.0`,
            `docker://${new URL(host.url).host}/acme/app:${tag}`,
          ],
          { env: { HOME: folder } },
        );
      expect((await push(tokens.alice, "1.0")).code).toBe(0);
      const refused = await push(tokens.bob, "1.1");
      expect(refused.output).toContain(
        "acme/app belongs to other owners, and only they publish it.",
      );
      expect(refused.code).not.toBe(0);
      const owners = await registry.database.ownership.ownerships.list({
        protocol: "oci",
        name: "acme/app",
      });
      expect(owners.map(({ handle, level }) => [handle, level])).toEqual([["alice", "manage"]]);
    },
  );

  test.skipIf(!commandOf("npm-11"))("npm shows and changes owners and teams", async () => {
    const client: NpmClient = cleanUp.use(await openNpmClient("npm-11", { folder, url: host.url }));
    const as = async (token: string, ...words: readonly string[]) => {
      await client.useToken(token);
      return client.run(words);
    };
    const publish = async (token: string, version: string) => {
      await client.useToken(token);
      return client.publish(await client.source("@acme/owned", version));
    };
    expect((await publish(tokens.alice, "1.0.0")).code).toBe(0);
    const refused = await publish(tokens.bob, "1.1.0");
    expect(refused.output).toContain("@acme/owned belongs to other owners");
    expect((await as(tokens.alice, "owner", "ls", "@acme/owned")).stdout.trim()).toBe("alice <>");
    const stolen = await as(tokens.bob, "owner", "add", "bob", "@acme/owned");
    expect(stolen.code).not.toBe(0);
    expect((await as(tokens.alice, "owner", "add", "bob", "@acme/owned")).code).toBe(0);
    expect((await publish(tokens.bob, "1.1.0")).code).toBe(0);
    expect((await as(tokens.bob, "owner", "rm", "alice", "@acme/owned")).code).toBe(0);
    const last = await as(tokens.bob, "owner", "rm", "bob", "@acme/owned");
    expect(last.code).not.toBe(0);
    expect((await publish(tokens.alice, "1.2.0")).code).not.toBe(0);
    const grant = ["access", "grant", "read-write", "acme:builders", "@acme/owned"];
    expect((await as(tokens.bob, ...grant)).code).toBe(0);
    expect((await publish(tokens.alice, "1.2.0")).code).toBe(0);
    expect((await as(tokens.bob, "team", "ls", "@acme")).stdout).toContain("@acme:builders");
    expect((await as(tokens.bob, "team", "ls", "@acme:builders")).stdout).toContain("alice");
    const packages = await as(tokens.bob, "access", "list", "packages", "@acme:builders", "--json");
    expect(JSON.parse(packages.stdout)).toEqual({ "@acme/owned": "read-write" });
    const revoke = ["access", "revoke", "acme:builders", "@acme/owned"];
    expect((await as(tokens.bob, ...revoke)).code).toBe(0);
    expect((await publish(tokens.alice, "1.3.0")).code).not.toBe(0);
  });
});
