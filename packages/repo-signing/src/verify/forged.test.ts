import { expect, test } from "vitest";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { forgedCases, forgedFile } from "../testing/forged-cases.ts";
import { forgedRoots } from "../testing/forged-identities.ts";
import { verifyPackage } from "./verify-package.ts";

test.each(forgedCases)("$name has the codes $codes", async (one) => {
  const found = await verifyPackage(packageBytesOf(forgedFile(one)), {
    roots: forgedRoots,
    timestampRoots: forgedRoots,
    now: new Date(),
  });
  const codes = found.issues.map(
    ({ level, code }) => `${level === "error" ? "Error" : "Warning"} ${code}`,
  );
  expect([...new Set(codes)].toSorted()).toEqual(one.codes);
  expect(found.valid).toBe(!one.codes.some((code) => code.startsWith("Error")));
});
