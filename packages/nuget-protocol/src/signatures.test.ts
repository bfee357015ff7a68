import { expect, test } from "vitest";
import { createNuGetApp } from "./app.ts";
import { createMemoryNuGetPorts } from "./testing/memory-ports.ts";

const fingerprint = "0123456789abcdef".repeat(4);
const certificate = {
  fingerprint,
  subject: "CN=Feed, O=Acme",
  issuer: "CN=Feed, O=Acme",
  notBefore: new Date("2026-01-01T00:00:00Z"),
  notAfter: new Date("2036-01-01T00:00:00Z"),
  der: Uint8Array.of(0x30, 0x03, 0x02, 0x01, 0x01),
};

function appWith(certificates: readonly (typeof certificate)[]) {
  const anonymous = { authorize: async () => ({ status: "anonymous" }) as const };
  return createNuGetApp(createMemoryNuGetPorts(anonymous, certificates).ports);
}

test("lists certificates publicly, with every field that clients need", async () => {
  const response = await appWith([certificate]).request("/v3/repository-signatures/index.json");
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({
    allRepositorySigned: false,
    signingCertificates: [
      {
        fingerprints: { "2.16.840.1.101.3.4.2.1": fingerprint },
        subject: "CN=Feed, O=Acme",
        issuer: "CN=Feed, O=Acme",
        notBefore: "2026-01-01T00:00:00.000Z",
        notAfter: "2036-01-01T00:00:00.000Z",
        contentUrl: `https://feed.example/v3/certificates/${fingerprint}.crt`,
      },
    ],
  });
});

test("answers with an empty list and the boolean when nothing was ever signed", async () => {
  const response = await appWith([]).request("/v3/repository-signatures/index.json");
  expect(await response.json()).toEqual({ allRepositorySigned: false, signingCertificates: [] });
});

test("gives a certificate in DER form, by its fingerprint in any spelling", async () => {
  for (const file of [`${fingerprint}.crt`, fingerprint, `${fingerprint.toUpperCase()}.crt`]) {
    const response = await appWith([certificate]).request(`/v3/certificates/${file}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/x-x509-ca-cert");
    expect(response.headers.get("last-modified")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(certificate.der);
  }
});
