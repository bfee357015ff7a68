import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import { installedClients } from "./installed-clients.ts";
import { inParallel, openNpmClients } from "./npm-clients.ts";
import type { Packument } from "./packuments.ts";
import { packumentOf } from "./packuments.ts";

const VERSIONS = 20;
/** Publishes by npm itself, each of which takes a second of CPU. */
const BY_NPM = 8;
/** All of them take too long for every run: `pnpm test:extended` publishes 1,000. */
const NAMES = process.env["SEALHOUSE_FAULT_ROUNDS"] === undefined ? 100 : 1000;

describe.skipIf(!testableDatabases().includes("PostgreSQL"))("two hosts on one PostgreSQL", () => {
  test("lose none of many publishes at once, and refuse none for another's sake", async () => {
    await using folder = await openFolder();
    await using place = await openTestPlace("PostgreSQL");
    const options = { folder: folder.path, env: databaseSettings(place.config) };
    await using host = await spawnHost(options);
    await using other = await spawnHost(options);
    const hosts = [host, other];
    const token = await host.makeToken({ name: "alice", scopes: "read,write" });
    const hostOf = (n: number) => hosts[n % 2] ?? host;

    const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
    const statuses = await Promise.all(
      numbers(VERSIONS).map((n) => publish(hostOf(n), token, "demo", `1.0.${n}`)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const documents = await Promise.all(
      hosts.map((each) => packumentOf({ host: each, token }, "demo")),
    );
    const versions = numbers(VERSIONS).map((n) => `1.0.${n}`);
    for (const document of documents) expect(versionsOf(document)).toEqual(versions.toSorted());
    const tarballs = await Promise.all(
      versions.map((version, n) => tarballStatus(hostOf(n + 1), token, version)),
    );
    expect(new Set(tarballs)).toEqual(new Set([200]));

    const many = await inParallel(numbers(NAMES), (n) =>
      publish(hostOf(n), token, `many-${n}`, "1.0.0"),
    );
    expect(new Set(many)).toEqual(new Set([200]));
    const response = await host.fetch(`/npm/-/v1/search?text=many-&size=1`);
    expect(await response.json()).toMatchObject({ total: NAMES });
  }, 240_000);

  test.skipIf(!installedClients().includes("npm-12"))(
    "take 20 versions of one package at once, 8 of them from npm itself",
    async () => {
      await using folder = await openFolder();
      await using place = await openTestPlace("PostgreSQL");
      const options = { folder: folder.path, env: databaseSettings(place.config), only: [] };
      await using npmClients = await openNpmClients(options);
      await using other = await spawnHost(options);
      const clients = [
        await npmClients.another("npm-12"),
        await npmClients.another("npm-12", { url: other.url, token: npmClients.token }),
      ];
      const versions = Array.from({ length: VERSIONS }, (_, n) => `2.0.${n}`);
      const byNpm = versions.slice(0, BY_NPM).map(async (version, n) => {
        const client = clients[n % 2];
        // Without a tag npm refuses to publish what is lower than the newest it has seen.
        return client?.publish(await client.source("crowded", version), "--tag", "next");
      });
      const others = versions.slice(BY_NPM).map((version, n) => {
        const host = n % 2 === 0 ? npmClients.host : other;
        return publish(host, npmClients.token, "crowded", version);
      });
      const ran = await Promise.all(byNpm);
      expect(ran.filter((each) => each?.code !== 0)).toEqual([]);
      const readOutput = () => `${npmClients.host.output()}\n${other.output()}`;
      const statuses = new Set(await Promise.all(others));
      expect(statuses, statuses.size > 1 ? readOutput() : "").toEqual(new Set([200]));
      const document = await packumentOf({ host: other, token: npmClients.token }, "crowded");
      expect(versionsOf(document)).toEqual(versions.toSorted());
    },
    240_000,
  );
});

afterAll(leaveTestServers);

function versionsOf({ versions }: Packument): readonly string[] {
  return Object.keys(versions).toSorted();
}

/** As npm does it. */
async function publish(
  host: TestHost,
  token: string,
  name: string,
  version: string,
): Promise<number> {
  const response = await host.fetch(`/npm/${name}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: publishBody({ name, version }),
  });
  await response.text();
  return response.status;
}

async function tarballStatus(host: TestHost, token: string, version: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await host.fetch(`/npm/demo/-/demo-${version}.tgz`, { headers });
  await response.arrayBuffer();
  return response.status;
}
