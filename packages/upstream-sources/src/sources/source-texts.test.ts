import { expect, test } from "vitest";
import { parseSourceTexts } from "./source-texts.ts";
import type { SourceTexts } from "./source-texts.ts";

const bearer = { type: "bearer", token: "secret" } as const;

const texts = (parts: Partial<SourceTexts> = {}): SourceTexts => ({
  name: "one",
  protocol: "npm",
  url: "https://registry.example/",
  isEnabled: true,
  credentials: {},
  lists: {
    allow: [],
    deny: [],
    credentialOrigins: [],
    tokenRealms: [],
    trustedCertificates: [],
  },
  flags: { allowPrivateNetwork: false, publicThroughHere: false },
  ...parts,
});
const FALLBACKS = { strategy: "CacheOnly", signaturePolicy: "Merge" } as const;

test.each<[string, Partial<SourceTexts>, string]>([
  ["protocol", { protocol: "pypi" }, 'Protocol "pypi" is not a protocol; use nuget, npm, oci'],
  ["type", { type: "sideways" }, 'Type "sideways" is not allowed'],
  ["strategy", { strategy: "All" }, 'CachingStrategy "All" is not allowed'],
  ["signature policy", { protocol: "nuget", signaturePolicy: "x" }, "SignaturePolicy"],
  ["signature policy of npm", { signaturePolicy: "Merge" }, "is only for sources of NuGet"],
  ["treatment", { onRemoved: "Burn" }, 'OnRemoved "Burn" is not allowed'],
  ["first contact", { firstContact: "Maybe" }, 'FirstContact "Maybe" is not allowed'],
  ["address", { url: "registry.example" }, 'FeedUrl "registry.example" is not an http'],
  ["address of a script", { url: "javascript:1" }, "FeedUrl"],
  ["long address", { url: `https://x.example/${"a".repeat(2_100)}` }, "FeedUrl"],
  ["priority", { priority: "-1" }, 'Priority "-1" is not a whole number'],
  ["priority in words", { priority: "first" }, 'Priority "first" is not a whole number'],
  ["age", { minimumReleaseAge: "soon" }, 'MinimumReleaseAge "soon" is not a time span'],
  ["endless age", { minimumReleaseAge: "99999.00:00:00" }, "MinimumReleaseAge"],
  ["time of comparison", { revalidateAfter: "x" }, 'RevalidateAfter "x" is not a time span'],
  ["time of old answers", { staleIfError: "x" }, 'StaleIfError "x" is not a time span'],
  ["key with a space", { credentials: { apiKey: "a b" } }, "ApiKey has spaces"],
  ["token with a line end", { credentials: { token: "a\n" } }, "Token has spaces"],
  ["header name", { credentials: { headers: { "a b": "c" } } }, 'Headers "a b" is not a header'],
  ["header value", { credentials: { headers: { a: "b\r\nc: d" } } }, 'Headers "a" is not a'],
  ["empty header", { credentials: { headers: { a: "" } } }, 'Headers "a" is not a header'],
  ["two credentials", { credentials: { token: "a", apiKey: "b" } }, "Token is a second kind"],
])("refuses a text with a wrong %s", (_, parts, expected) => {
  const outcome = parseSourceTexts(texts(parts), FALLBACKS);
  const problems = outcome.status === "refused" ? outcome.problems : [];
  expect(problems.map(({ part, words }) => `${part} ${words}`).join("\n")).toContain(expected);
});

test("reports all problems of a text together", () => {
  const outcome = parseSourceTexts(texts({ protocol: "x", url: "y", priority: "z" }), FALLBACKS);
  expect(outcome.status === "refused" && outcome.problems.map(({ part }) => part)).toEqual([
    "Protocol",
    "FeedUrl",
    "Priority",
  ]);
});

test("a text becomes a source, with the defaults of the registry", () => {
  const plain = parseSourceTexts(texts(), FALLBACKS);
  expect(plain).toMatchObject({
    source: { ...FALLBACKS, priority: 100, type: "upstream", from: "database" },
  });
  const whole = parseSourceTexts(
    texts({
      protocol: "NuGet",
      type: "BOTH",
      priority: "7",
      strategy: "proxyonly",
      signaturePolicy: "trustedcerts",
      minimumReleaseAge: "7.00:00:00",
      revalidateAfter: "00:01:00",
      staleIfError: "1.00:00:00",
      onRemoved: "deny",
      firstContact: "hold",
      caPath: "/etc/ca.pem",
      credentials: { apiKey: "key" },
      lists: { ...texts().lists, trustedCertificates: ["AA:BB"] },
      flags: { allowPrivateNetwork: true, publicThroughHere: false },
    }),
    FALLBACKS,
  );
  expect(whole).toMatchObject({
    source: {
      protocol: "nuget",
      type: "both",
      priority: 7,
      strategy: "ProxyOnly",
      signaturePolicy: "TrustedCerts",
      credentials: { type: "api-key", key: "key" },
      settings: {
        minimumReleaseAgeMs: 7 * 24 * 60 * 60_000,
        revalidateAfterMs: 60_000,
        staleIfErrorMs: 24 * 60 * 60_000,
        onRemoved: "Deny",
        firstContact: "Hold",
        caPath: "/etc/ca.pem",
        trustedCertificates: ["aabb"],
        allowPrivateNetwork: true,
      },
    },
  });
});

test("credentials stay when the text has no others", () => {
  const kept = { keptCredentials: bearer };
  const same = parseSourceTexts(texts(kept), FALLBACKS);
  expect(same).toMatchObject({ source: { credentials: bearer } });
  const other = parseSourceTexts(texts({ ...kept, credentials: { token: "new" } }), FALLBACKS);
  expect(other).toMatchObject({ source: { credentials: { token: "new" } } });
});
