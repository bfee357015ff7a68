import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { openRegistry } from "../../src/registry.ts";
import { loadConfig } from "../../src/settings/load.ts";

const PROTOCOLS = ["NuGet", "Npm", "Oci"] as const;
const SILENT = createLog({ level: "None", format: "Json" }, () => undefined);

const requests: (string | undefined)[] = [];
const upstream = createServer((request, response) => {
  requests.push(request.url);
  response.writeHead(404).end("{}");
});
let folder = "";
let host: Awaited<ReturnType<typeof openRegistry>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-forbidden-source-"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const sources = PROTOCOLS.flatMap((protocol, index) => [
    [`PackageSources__${index}__Name`, `inside-${protocol}`],
    [`PackageSources__${index}__Protocol`, protocol],
    [`PackageSources__${index}__FeedUrl`, protocol === "NuGet" ? `${url}/v3/index.json` : url],
  ]);
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    ...(Object.fromEntries(sources) as Record<string, string>),
  };
  host = await openRegistry(loadConfig({ env, workingFolder: folder }).config, { log: SILENT });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  upstream.close();
  await rm(folder, { recursive: true });
});

const get = (path: string) =>
  host.fetch(new Request(`http://host${path}`, { headers: { accept: "application/json" } }));

test.each([
  ["inside-NuGet", 404, "/v3/package/acme.core/index.json"],
  ["inside-NuGet", 404, "/v3/registration/acme.core/index.json"],
  ["inside-Npm", 403, "/npm/left-pad"],
  ["inside-Npm", 403, "/npm/left-pad/-/left-pad-1.0.0.tgz"],
  ["inside-Oci", 403, "/v2/library/alpine/manifests/3.20"],
])("a source that must not be called gets a lasting answer: %s, %i for %s", async (...row) => {
  const [name, status, path] = row;
  const answer = await get(path);
  const text = await answer.text();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, null]);
  const reason = `The package source "${name}" is at, or refers to, an address that this registry`;
  const shown = name === "inside-NuGet" ? (answer.headers.get("x-nuget-warning") ?? "") : text;
  expect(JSON.stringify(shown).replaceAll("\\", "")).toContain(reason);
  expect(text).not.toContain("127.0.0.1");
  expect(requests).toEqual([]);
});

test("health names the sources that must not be called", async () => {
  await Promise.all(
    ["/v3/package/acme.core/index.json", "/npm/left-pad", "/v2/library/a/manifests/1"].map(get),
  );
  const answer = await get("/health");
  const { checks } = (await answer.json()) as { readonly checks: Readonly<Record<string, object>> };
  for (const protocol of PROTOCOLS) {
    expect(JSON.stringify(checks[`source:inside-${protocol}`])).toMatch(
      /degraded.*must not be called/,
    );
  }
});
