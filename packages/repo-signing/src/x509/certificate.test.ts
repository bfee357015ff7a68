import { expect, test } from "vitest";
import { DerError } from "../der/reader.ts";
import { forgeIdentity } from "../testing/forge-certificate.ts";
import { testRootCertificate } from "../testing/test-signer.ts";
import { parseCertificate } from "./certificate.ts";

test("a certificate that comes again is not read again, and holds on to nothing", async () => {
  const der = await testRootCertificate();
  const around = Buffer.concat([Buffer.alloc(100), der, Buffer.alloc(100_000)]);
  const inside = around.subarray(100, 100 + der.length);
  const certificate = parseCertificate(inside);
  expect(certificate.der.buffer).not.toBe(around.buffer);
  inside.fill(0);
  expect(parseCertificate(der)).toBe(certificate);
  expect(Buffer.compare(certificate.der, der)).toBe(0);
});

test("a certificate with 60 kB of object identifiers is read", () => {
  const usage = Array.from({ length: 6_000 }, (_, index) => `1.3.6.1.4.1.99.${index + 1}`);
  const { certificate } = forgeIdentity({ name: "Usages", usage });
  expect(certificate.der.length).toBeGreaterThan(60_000);
  expect(certificate.extendedKeyUsage).toEqual(usage);
});

test("a certificate whose one object identifier has more than 128 octets is refused", () => {
  // An arc below 128 takes one octet; a certificate of 60 kB of them must not cost 60,000 arcs.
  const usage = [`1.3${".1".repeat(60_000)}`];
  expect(() => forgeIdentity({ name: "One usage", usage })).toThrow(DerError);
});
