import { readFileSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { readArchive } from "../archive/archive.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { verifyPackage } from "./verify-package.ts";

type Verdict = { valid: boolean; codes: string[]; exception?: string | null };
type Vector = {
  file: string;
  signatureType: string | null;
  contentHash: string | null;
  verifyPolicyRootsTrusted: Verdict;
  acceptPolicyRootsUntrusted: Verdict;
};

/** When the verdicts were measured; some certificates of the set have expired or not begun. */
const measuredAt = new Date("2026-11-21T12:00:00Z");
const folder = new URL("../../../../vectors/nuget-signatures/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as Vector[];
const roots = readFileSync(new URL("certs/trust-all.pem", folder), "utf8")
  .split(/(?<=-----END CERTIFICATE-----)/)
  .filter((pem) => pem.includes("BEGIN"))
  .map((pem) => new Uint8Array(new X509Certificate(pem).raw));

const verdictsOf = (vector: Vector) => [
  ["verify", vector.verifyPolicyRootsTrusted, roots] as const,
  ["accept", vector.acceptPolicyRootsUntrusted, []] as const,
];

for (const vector of manifest) {
  for (const [policy, expected, trusted] of verdictsOf(vector)) {
    test(`${vector.file} has NuGet's verdict under the ${policy} policy`, async () => {
      const bytes = readFileSync(new URL(`packages/${vector.file}`, folder));
      const packageVerification = await verifyPackage(packageBytesOf(bytes), {
        policy,
        roots: trusted,
        timestampRoots: trusted,
        now: measuredAt,
      });
      const codes = packageVerification.issues.map(
        ({ level, code }) => `${level === "error" ? "Error" : "Warning"} ${code}`,
      );
      expect({ valid: packageVerification.valid, codes: [...new Set(codes)].toSorted() }).toEqual({
        valid: expected.valid,
        codes: expected.codes.toSorted(),
      });
      const unread = vector.file === "unsigned.nupkg" ? "none" : undefined;
      expect(packageVerification.signatureType).toBe(vector.signatureType ?? unread);
      if (vector.contentHash !== null)
        expect(packageVerification.contentHash).toBe(vector.contentHash);
    });
  }
}

test("bytes before the first entry break the package hash", async () => {
  const whole = readFileSync(new URL("packages/repo.nupkg", folder));
  const prefix = Buffer.from("MZ and more");
  const archive = await readArchive(packageBytesOf(whole));
  const prefixed = Buffer.concat([prefix, whole]);
  for (const entry of archive.entries) {
    const field = prefix.length + entry.headerStart + 42;
    prefixed.writeUInt32LE(entry.start + prefix.length, field);
  }
  const directory = archive.directoryStart + prefix.length;
  prefixed.writeUInt32LE(directory, prefix.length + archive.endRecordStart + 16);
  const trust = { roots, timestampRoots: roots };
  const packageVerification = await verifyPackage(packageBytesOf(prefixed), {
    ...trust,
    now: measuredAt,
  });
  expect(packageVerification).toMatchObject({ valid: false, signatureType: "Repository" });
  expect(packageVerification.issues.map((issue) => issue.code)).toEqual(["NU3008", "NU3027"]);
});
