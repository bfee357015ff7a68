import { expect, test } from "vitest";
import { verifyPackage } from "../verify/verify-package.ts";
import { fuzzSignatures } from "./fuzz-signatures.ts";
import { signatureSeeds } from "./signature-seeds.ts";

const SECONDS = 3;

test(`${SECONDS} seconds of mutated signatures throw nothing and let nothing else in`, async () => {
  const seeds = signatureSeeds();
  expect(seeds.length).toBeGreaterThan(100);
  const report = await fuzzSignatures({
    seeds,
    durationMs: SECONDS * 1000,
    seed: Date.now() % 2 ** 31,
  });
  expect(report.failures.map(({ seed, what }) => `${seed}: ${what}`)).toEqual([]);
  expect(report.cases).toBeGreaterThan(100);
  expect(report.valid).toBeLessThan(report.cases / 2);
});

test("the same number gives the same cases", async () => {
  const fuzzRun = {
    seeds: signatureSeeds().slice(0, 20),
    durationMs: 60_000,
    casesMax: 50,
    seed: 7,
  };
  const { cases, valid } = await fuzzSignatures(fuzzRun);
  expect(await fuzzSignatures(fuzzRun)).toMatchObject({ cases, valid });
});

test("a verifier that believes anything, or breaks, is found out", async () => {
  const fuzzRun = {
    seeds: signatureSeeds().slice(0, 5),
    durationMs: 60_000,
    casesMax: 30,
    seed: 7,
  };
  const believing = await fuzzSignatures({
    ...fuzzRun,
    verify: async (file, options) => {
      const packageVerification = await verifyPackage(file, options);
      return { ...packageVerification, valid: true, contentHash: "anything" };
    },
  });
  expect(believing.failures[0]).toMatchObject({ what: "valid, with other contents" });
  const broken = await fuzzSignatures({
    ...fuzzRun,
    verify: () => Promise.reject(new TypeError("out of order")),
  });
  expect(broken.failures[0]?.what).toContain("out of order");
  expect(broken.failures[0]?.bytes.length).toBeGreaterThan(0);
});
