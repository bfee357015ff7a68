import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { openRegistry } from "../../registry.ts";
import { loadConfig } from "../../settings/load.ts";
import { runInProcess } from "../../testing/run-in-process.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-absent-"));
const env = {
  ASPNETCORE_ENVIRONMENT: "Development",
  Host__DataPath: folder,
  Feed__Oci__Default__Enabled: "true",
  Mirror__MaxAbsentNamesPerNetwork: "20",
};
let calls = 0;
const source = createServer(({ url, headers }, response) => {
  if (url === "/v3/index.json") {
    const at = (path: string, type: string) => ({
      "@id": `http://${headers.host}/${path}/`,
      "@type": type,
    });
    const resources = [
      at("registration", "RegistrationsBaseUrl/3.6.0"),
      at("content", "PackageBaseAddress/3.0.0"),
    ];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ version: "3.0.0", resources }));
    return;
  }
  calls += 1;
  response.writeHead(404).end();
});
beforeAll(() => new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve)));
afterAll(async () => {
  source.close();
  await rm(folder, { recursive: true });
});

/** Calls for absent names that a network may cause at once. */
const CALLS_MAX = 20;

const PATHS = { npm: "", nuget: "v3/index.json", oci: "" } as const;

async function openMirroring() {
  const { config } = loadConfig({ env, workingFolder: folder });
  {
    await using database = await openDatabase(config.database, { migrate: true });
    for (const protocol of ["npm", "nuget", "oci"] as const) {
      const row = {
        name: `absent-${protocol}`,
        protocol,
        url: `http://127.0.0.1:${(source.address() as AddressInfo).port}/${PATHS[protocol]}`,
        type: "upstream",
        priority: 1,
        strategy: "IndexAndCache",
        signaturePolicy: "Resign",
        isEnabled: true,
        settings: JSON.stringify({ allowPrivateNetwork: true }),
      };
      await database.upstream.sources.put(row, { actor: "test" });
    }
  }
  const log = createLog({ level: "None", format: "Json" }, () => undefined);
  const time = new Date();
  return openRegistry(config, { log, now: () => time });
}

test("a network gets 429 after too many calls for absent names, in each protocol", async () => {
  await using registry = await openMirroring();
  const get = (path: string, headers: Record<string, string> = {}) =>
    registry.fetch(new Request(`http://localhost${path}`, { headers }));
  const statuses = new Set<number>();
  for (let index = 0; index < CALLS_MAX; index += 1) {
    statuses.add((await get(`/npm/absent-${index}`)).status);
  }
  expect([[...statuses], calls]).toEqual([[404], CALLS_MAX]);

  const scope = "repository:acme/more:pull";
  const issued = await get(`/token?service=localhost&scope=${encodeURIComponent(scope)}`);
  const { token } = (await issued.json()) as { readonly token: string };
  const anonymous = { authorization: `Bearer ${token}` };
  for (const [path, headers] of [
    ["/npm/one-more", {}],
    ["/v3/registration-gz-semver2/one.more/index.json", {}],
    ["/v3/package/one.more/index.json", {}],
    ["/v2/acme/more/manifests/latest", anonymous],
  ] as const) {
    const answer = await get(path, headers);
    const seconds = Number(answer.headers.get("retry-after"));
    expect([path, answer.status, seconds > 0 && seconds < 60]).toEqual([path, 429, true]);
    expect(await answer.text()).toMatch(/too many requests/i);
  }
  expect(calls).toBe(CALLS_MAX);

  // Known answers, and callers with a token, have no limit.
  expect((await get("/npm/absent-0")).status).toBe(404);
  const words = ["token", "create", "--name", "ci", "--scopes", "read"];
  const { printed } = await runInProcess(words, { folder, env });
  const own = { authorization: `Bearer ${/\b\S{30,}\b/.exec(printed)?.[0]}` };
  expect((await get("/npm/one-more", own)).status).toBe(404);
  expect(calls).toBe(CALLS_MAX + 1);
}, 60_000);
