import { expect, test } from "vitest";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { forgedCases, forgedFile } from "../testing/signature-seeds.ts";
import { forgedRoots } from "../testing/forged-identities.ts";
import { verifyPackage } from "./verify-package.ts";

test.each(forgedCases)("$name has the codes $codes", async (forgedCase) => {
  const packageVerification = await verifyPackage(packageBytesOf(forgedFile(forgedCase)), {
    roots: forgedRoots,
    timestampRoots: forgedRoots,
    now: new Date(),
  });
  const codes = packageVerification.issues.map(
    ({ level, code }) => `${level === "error" ? "Error" : "Warning"} ${code}`,
  );
  expect([...new Set(codes)].toSorted()).toEqual(forgedCase.codes);
  expect(packageVerification.valid).toBe(
    !forgedCase.codes.some((code) => code.startsWith("Error")),
  );
});
