import { randomBytes } from "node:crypto";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostProcess } from "../../src/testing/index.ts";
import { databaseSettings, extendedTest, spawnHost } from "../../src/testing/index.ts";
import type { AttackedSource } from "./attacked-sources.ts";
import { OPEN_ATTACKED } from "./attacked-sources.ts";
import { settingsOf } from "./source-settings.ts";

const PROTOCOLS = ["npm", "nuget", "oci"] as const;
const CLIENTS = 200;
/**
 * Different requests for one package: its documents and its file. The instance that asks for a tag
 * has its manifest; another instance may be the one that fetches it, by its digest.
 */
const REQUESTS = { npm: [2], nuget: [3], oci: [2, 3] };
/** The lease of a killed instance lasts 15 seconds. */
const TAKE_OVER_MS = 25_000;

describe.skipIf(!testableDatabases().includes("PostgreSQL"))("mirrors on one PostgreSQL", () => {
  const cleanUp = new AsyncDisposableStack();
  const sources = new Map<string, AttackedSource>();
  let hosts: readonly HostProcess[];

  beforeAll(async () => {
    const names = PROTOCOLS.flatMap((protocol) =>
      ["asked", "killed", "other"].map((name) => [protocol, name] as const),
    );
    for (const [protocol, name] of names) {
      const source = cleanUp.use(await OPEN_ATTACKED[protocol](name));
      sources.set(`${protocol} ${name}`, source);
    }
    cleanUp.defer(leaveTestServers);
    const { config } = cleanUp.use(await openTestPlace("PostgreSQL"));
    const env = {
      Signing__Mode: "",
      Feed__Oci__Default__Enabled: "true",
      Feed__PublicBaseUrl: "http://127.0.0.1",
      Host__TokenHashPepper: randomBytes(24).toString("hex"),
      ...databaseSettings(config),
      ...settingsOf([...sources.values()]),
    };
    const first = cleanUp.use(await spawnHost({ env }));
    const others = [1, 2].map(async () =>
      cleanUp.use(await spawnHost({ env, folder: first.folder })),
    );
    hosts = [first, ...(await Promise.all(others))];
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  const sourceOf = (name: string) => sources.get(name) ?? expect.unreachable();
  const hostOf = (client: number) => hosts[client % hosts.length] ?? expect.unreachable();
  const get = async (host: HostProcess, path: string) => {
    const response = await host.fetch(path);
    return [response.status, Buffer.from(await response.bytes())] as const;
  };

  test.each(PROTOCOLS)("ask the source of %s once for 200 clients of three", async (protocol) => {
    const source = sourceOf(`${protocol} asked`);
    const ask = (path: string) =>
      Promise.all(Array.from({ length: CLIENTS }, (_, client) => get(hostOf(client), path)));
    const documents = await ask(source.document);
    expect(new Set(documents.map(([status]) => status))).toEqual(new Set([200]));
    const files = await ask(source.file);
    const right = files.filter(([status, bytes]) => status === 200 && bytes.equals(source.bytes));
    expect(right).toHaveLength(CLIENTS);
    // Each instance reads the service index of a NuGet source.
    const requests = source.requests().filter((request) => request !== "/v3/index.json");
    expect(REQUESTS[protocol]).toContain(requests.length);
    expect(new Set(requests).size).toBe(requests.length);
  });

  extendedTest("serve files whose transfer was killed with its instance", async () => {
    const [first, second, third] = hosts;
    if (!first || !second || !third) return expect.unreachable();
    const killed = await Promise.all(
      PROTOCOLS.map(async (protocol) => {
        const source = sourceOf(`${protocol} killed`);
        expect((await get(first, source.document))[0]).toBe(200);
        const isAsked = Promise.withResolvers<void>();
        source.attack("file", (_, response) => {
          response.writeHead(200, { "content-length": source.bytes.length });
          response.write(source.bytes.subarray(0, 50));
          isAsked.resolve();
        });
        const cut = get(first, source.file).catch(() => undefined);
        await isAsked.promise;
        source.attack("file", undefined);
        const others = [second, third].map((host) => get(host, source.file));
        return { source, others, cut };
      }),
    );
    await first.kill();
    const since = performance.now();
    for (const protocol of PROTOCOLS) {
      const other = sourceOf(`${protocol} other`);
      expect((await get(second, other.document))[0]).toBe(200);
      expect((await get(third, other.file))[1].equals(other.bytes)).toBe(true);
    }
    expect(performance.now() - since).toBeLessThan(5_000);
    for (const { source, others, cut } of killed) {
      await cut;
      for (const [status, bytes] of await Promise.all(others)) {
        expect([status, bytes.equals(source.bytes)]).toEqual([200, true]);
      }
    }
    expect(performance.now() - since).toBeLessThan(TAKE_OVER_MS);
  });
});
