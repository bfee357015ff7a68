import { createHash, randomBytes } from "node:crypto";
import type { PackageBytes } from "@sealhouse/repo-signing";
import { packageBytesOf } from "@sealhouse/repo-signing";
import { buildTestPackage } from "@sealhouse/repo-signing/testing";

export type BenchPackage = PackageBytes & { readonly sha256: string; readonly bytes: Buffer };

/** A package of this number of files, each of which deflates by a quarter. */
export function packageInMemory(files: number, fileBytes: number): BenchPackage {
  const bytes = buildTestPackage("Bench.Signing", "1.0.0", {
    files: Array.from({ length: files }, (_, index) => ({
      name: `lib/net8.0/Assembly${index}.dll`,
      data: randomBytes(Math.ceil(fileBytes * 0.75)).toString("base64"),
    })),
  });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...packageBytesOf(bytes), sha256, bytes };
}
