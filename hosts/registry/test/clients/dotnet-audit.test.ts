import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg, buildZip } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAdvisoryServer } from "@sealhouse/advisories/testing";
import type { AdvisoryServer } from "@sealhouse/advisories/testing";
import type { TestHost } from "../../src/testing/index.ts";
import { extendedTest, isExtended, spawnHost } from "../../src/testing/index.ts";
import { osvDocument } from "@sealhouse/advisories/testing";
import { makeServerCertificate } from "./certificate-authority.ts";
import { hasClient, openFolder } from "./client.ts";
import type { DotnetClient } from "./dotnet-client.ts";
import { createDotnetClient } from "./dotnet-client.ts";

const SOURCES = "Feed__NuGet__Vulnerabilities__Sources";
const SEVERITIES = [
  ["Low", "LOW", "NU1901"],
  ["Moderate", "MODERATE", "NU1902"],
  ["High", "HIGH", "NU1903"],
  ["Critical", "CRITICAL", "NU1904"],
] as const;
/** The others differ in their numbers only. */
const TESTED = isExtended ? SEVERITIES : SEVERITIES.slice(-1);
const GITHUB = "https://github.com/advisories";

/** Each severity from another kind of source: a checkout, an archive, an index, a feed. */
describe.skipIf(!hasClient("dotnet"))("dotnet audits against the host, over https", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let outside: AdvisoryServer;
  let client: DotnetClient;
  let advisories: string;

  beforeAll(async () => {
    const { path: folder } = cleanUp.use(await openFolder());
    const tls = await makeServerCertificate(folder);
    outside = cleanUp.use(await openAdvisoryServer());
    advisories = join(folder, "advisory-database");
    await writeCheckout(advisories, [lowOne, safeOne]);
    serveOutside(outside);
    host = cleanUp.use(
      await spawnHost({
        scheme: "https",
        authority: tls.authority,
        env: {
          Kestrel__Certificates__Default__Path: tls.certificate,
          Kestrel__Certificates__Default__KeyPath: tls.key,
          Signing__Mode: "",
          Host__OutgoingRequests__AllowPrivateAddresses: "true",
          ...sources([
            ["checkout", "Path", advisories],
            ["archive", "Url", `${outside.url}/all.zip`],
            ["index", "Url", `${outside.url}/v/index.json`],
            ["feed", "Url", `${outside.url}/v3/index.json`],
          ]),
        },
      }),
    );
    const token = await host.makeToken({ scopes: "read,write" });
    for (const [name] of SEVERITIES) {
      for (const version of ["1.0.0", "2.0.0"]) await push(host, token, `Acme.${name}`, version);
    }
    await push(host, token, "Acme.Safe", "1.0.0");
    client = await createDotnetClient({
      folder,
      source: `${host.url}/v3/index.json`,
      env: { SSL_CERT_FILE: tls.authority },
    });
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  const restore = async (id: string, version: string) => {
    const project = await client.consumer({ id, version });
    return { project, ...(await client.run(["restore"], project)) };
  };

  test("sealhouse vulnerabilities import reads every kind of source", async () => {
    const imported = await host.cli("vulnerabilities", "import");
    expect(imported.stderr).toBe("");
    expect(imported.code).toBe(0);
    for (const name of ["checkout", "archive", "index", "feed"]) {
      expect(imported.stdout).toMatch(new RegExp(`^${name}: (\\d advisor|nothing new)`, "m"));
    }
    // The host looks again after some seconds whether it has any data.
    const index = async () => (await host.fetch("/v3/index.json")).text();
    await expect.poll(index, { timeout: 30_000 }).toContain("VulnerabilityInfo/6.7.0");
    await client.run(["nuget", "locals", "http-cache", "--clear"]);
  });

  extendedTest("restore of a package that nothing is known about has no warning", async () => {
    const restored = await restore("Acme.Safe", "1.0.0");
    expect(restored.output).not.toMatch(/NU\d{4}/);
    expect(restored.code).toBe(0);
  });

  test.each(TESTED)("restore of a vulnerable version warns: %s", async (name, _, code) => {
    const restored = await restore(`Acme.${name}`, "1.0.0");
    expect(restored.output).toContain(`warning ${code}`);
    expect(restored.output).toContain(`${GITHUB}/GHSA-${name.toLowerCase().slice(0, 3)}`);
    expect(restored.output).toMatch(
      new RegExp(`'Acme.${name}' 1.0.0 has a known ${name} severity vuln`, "i"),
    );
    expect(restored.output).not.toMatch(/NU1900|NU1905/);
    expect(restored.code).toBe(0);
    const listed = await client.run(["list", "package", "--vulnerable"], restored.project);
    expect(listed.output).toMatch(new RegExp(`Acme.${name} +1.0.0 +1.0.0 +${name}`));
    expect(listed.output).toContain(GITHUB);
  });

  test("restore of the fixed version has no warning", async () => {
    const restored = await restore("Acme.High", "2.0.0");
    expect(restored.output).not.toMatch(/NU\d{4}/);
    const listed = await client.run(["list", "package", "--vulnerable"], restored.project);
    expect(listed.output).toContain("has no vulnerable packages");
  });

  extendedTest("what a source takes back is no longer told", async () => {
    await writeCheckout(advisories, [{ ...lowOne, withdrawn: "2026-02-01T00:00:00Z" }, safeOne]);
    expect((await host.cli("vulnerabilities", "import", "--source", "checkout")).code).toBe(0);
    await client.run(["nuget", "locals", "http-cache", "--clear"]);
    const restored = await restore("Acme.Low", "1.0.0");
    expect(restored.output).not.toMatch(/NU\d{4}/);
    expect(restored.code).toBe(0);
  });
});

const lowOne = documentOf("Low", "LOW");
const safeOne = osvDocument({
  id: "GHSA-saf2-saf3-saf4",
  package: "Acme.Elsewhere",
  fixed: "9.0.0",
});

function documentOf(name: string, severity: "LOW" | "MODERATE" | "HIGH" | "CRITICAL"): object {
  return osvDocument({ id: idOf(name), package: `Acme.${name}`, fixed: "2.0.0", severity });
}

function idOf(name: string): string {
  const part = name.toLowerCase().slice(0, 3);
  return `GHSA-${part}2-${part}3-${part}4`;
}

async function writeCheckout(root: string, documents: readonly object[]): Promise<void> {
  for (const document of documents) {
    const { id } = document as { readonly id: string };
    const folder = join(root, "advisories", "github-reviewed", "2026", "01", id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${id}.json`), JSON.stringify(document));
  }
}

function serveOutside({ url, pages }: AdvisoryServer): void {
  const archived = JSON.stringify(documentOf("Moderate", "MODERATE"));
  pages.set("/all.zip", { body: buildZip([{ name: "GHSA-1.json", data: archived }]) });
  const entryOf = (name: string, severity: number) => ({
    [`acme.${name.toLowerCase()}`]: [
      { severity, url: `${GITHUB}/${idOf(name)}`, versions: "(, 2.0.0)" },
    ],
  });
  const index = (page: string) =>
    JSON.stringify([{ "@name": "base", "@id": url + page, "@updated": "2026-01-01T00:00:00Z" }]);
  pages.set("/v/index.json", { body: index("/v/high.json") });
  pages.set("/v/high.json", { body: JSON.stringify(entryOf("High", 2)) });
  pages.set("/w/index.json", { body: index("/w/critical.json") });
  pages.set("/w/critical.json", { body: JSON.stringify(entryOf("Critical", 3)), gzip: true });
  const resources = [{ "@id": `${url}/w/index.json`, "@type": "VulnerabilityInfo/6.7.0" }];
  pages.set("/v3/index.json", { body: JSON.stringify({ version: "3.0.0", resources }) });
}

function sources(
  list: readonly (readonly [name: string, field: "Path" | "Url", value: string])[],
): Record<string, string> {
  const entries = list.flatMap(([name, field, value], index) => [
    [`${SOURCES}__${index}__Name`, name],
    [`${SOURCES}__${index}__${field}`, value],
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

async function push(host: TestHost, token: string, id: string, version: string): Promise<void> {
  const answer = await host.fetch("/api/v2/package/", {
    method: "PUT",
    headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
    body: Buffer.from(buildNupkg({ id, version, files: { "a.txt": `${id} ${version}` } })),
  });
  expect(answer.status).toBe(201);
}
