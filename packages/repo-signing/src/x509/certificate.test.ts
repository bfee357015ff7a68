import { expect, test } from "vitest";
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
