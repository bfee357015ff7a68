import { expect, test } from "vitest";
import { activeCertificates, trustPage } from "./trust-views.ts";
import type { TrustSources, UsedCertificate } from "./trust-views.ts";

function certificate(fingerprint: string, lastUsedAt: string, active = true): UsedCertificate {
  return {
    fingerprint,
    subject: "CN=Example Repository",
    issuer: "CN=Example Root",
    notBefore: new Date("2025-01-01T00:00:00Z"),
    notAfter: new Date("2027-01-01T00:00:00Z"),
    active,
    lastUsedAt: new Date(lastUsedAt),
  };
}

function sourcesWith(overrides: Partial<TrustSources> = {}): TrustSources {
  return {
    certificates: { list: async () => [] },
    signsImages: false,
    anonymousRead: true,
    latestPackages: async () => [],
    ...overrides,
  };
}

test("the page lists active certificates, most recently used first", async () => {
  const older = certificate("a1", "2026-01-01T00:00:00Z");
  const newer = certificate("b2", "2026-02-01T00:00:00Z");
  const retired = certificate("c3", "2026-03-01T00:00:00Z", false);
  const page = await trustPage(
    sourcesWith({ certificates: { list: async () => [older, retired, newer] } }),
  );
  expect(page).toEqual({ certificates: [newer, older], example: undefined });
});

test("the page lists no certificates before the first signature", async () => {
  expect(await trustPage(sourcesWith())).toEqual({ certificates: [], example: undefined });
});

test("the page shows images alone when packages are not signed", async () => {
  const page = await trustPage(sourcesWith({ certificates: undefined, signsImages: true }));
  expect(page).toEqual({ certificates: undefined, images: true, example: undefined });
});

test("there is no page when nothing is signed", async () => {
  const sources = sourcesWith({ certificates: undefined });
  expect(await trustPage(sources)).toBeUndefined();
  expect(await activeCertificates(sources)).toBeUndefined();
});

test.each([
  [true, { id: "Acme.Core", version: "1.2.0" }],
  [false, undefined],
])("with anonymous read = %s the example is %j", async (anonymousRead, example) => {
  const latestPackages: TrustSources["latestPackages"] = async (_limit, hidden) => {
    expect(hidden).toEqual({ nuget: { isSignedIn: false, owners: [] } });
    return [
      { protocol: "npm", name: "left", version: "1.0.0", publishedAt: new Date() },
      { protocol: "nuget", name: "Acme.Core", version: "1.2.0", publishedAt: new Date() },
    ];
  };
  const page = await trustPage(sourcesWith({ anonymousRead, latestPackages }));
  expect(page?.example).toEqual(example);
});
