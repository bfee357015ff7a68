// `node signing-verify-process.ts <package> <rounds>`: verifies a package and hashes it, in turn,
// in a process that does nothing else, and prints the figures as JSON.
import { createHash } from "node:crypto";
import type { PackageBytes } from "@sealhouse/repo-signing";
import { packageBytesOf, packageFileBytes, verifyPackage } from "@sealhouse/repo-signing";
import { packageInMemory } from "./signing-packages.ts";
import { peakMib, resetPeak, residentMib } from "./process-figures.ts";

export type VerifyFigures = {
  readonly rounds: readonly {
    /** The one digest that the signature names, and a verification without the contentHash. */
    readonly sha256Ms: number;
    readonly verifyMs: number;
    /** The digests that `dotnet nuget verify` computes, and a verification that tells both. */
    readonly bothMs: number;
    readonly verifyBothMs: number;
  }[];
  /** Peak over rest. */
  readonly growthMib: number;
};

/** Trust is not what is measured. */
const ANYBODY = { roots: "any", timestampRoots: "any", now: new Date() } as const;

const [path = "", rounds = "1"] = process.argv.slice(2);
// Read as `sealhouse verify` reads it.
await using opened = await packageFileBytes(path, { lend: true });
console.log(JSON.stringify(await measure(opened, Number(rounds))));

async function measure(file: PackageBytes, count: number): Promise<VerifyFigures> {
  const small = packageInMemory(10, 1_000);
  await verifyPackage(packageBytesOf(small.bytes), ANYBODY);
  await hashed(small, ["sha256", "sha512"]);
  const restMib = residentMib(process.pid);
  resetPeak(process.pid);
  await verified(file, true);
  const growthMib = peakMib(process.pid) - restMib;
  const figures = await Array.fromAsync({ length: count }, async () => ({
    sha256Ms: await timeOf(() => hashed(file, ["sha256"])),
    verifyMs: await timeOf(() => verified(file, false)),
    bothMs: await timeOf(() => hashed(file, ["sha256", "sha512"])),
    verifyBothMs: await timeOf(() => verified(file, true)),
  }));
  return { rounds: figures, growthMib };
}

async function verified(file: PackageBytes, contentHash: boolean): Promise<void> {
  const { valid, issues } = await verifyPackage(file, { ...ANYBODY, contentHash });
  if (!valid) throw new Error(`the package is not valid: ${JSON.stringify(issues)}`);
}

async function hashed(file: PackageBytes, names: readonly string[]): Promise<void> {
  const hashes = names.map((name) => createHash(name));
  for await (const chunk of file.read()) for (const hash of hashes) hash.update(chunk);
  for (const hash of hashes) hash.digest();
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
