import { readFileSync } from "node:fs";
import { readTrustList } from "../verify/trust-list.ts";
import { forgedRoots } from "./forged-identities.ts";
import type { SignatureSeed } from "./fuzz-signatures.ts";
import { forgePackage } from "./forge-package.ts";
import type { ForgedCase } from "./forged-case.ts";
import { forgedShapes } from "./forged-shapes.ts";
import { forgedTimes } from "./forged-times.ts";

/** The test vectors of the repository and every forged package. */
export function signatureSeeds(): readonly SignatureSeed[] {
  const vectors = new URL("../../../../vectors/nuget-signatures/", import.meta.url);
  const roots = readTrustList(readFileSync(new URL("certs/trust-all.pem", vectors)));
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", vectors), "utf8")) as {
    readonly file: string;
  }[];
  return [
    ...manifest.map(({ file }) => ({
      bytes: readFileSync(new URL(`packages/${file}`, vectors)),
      roots,
    })),
    ...forgedCases.map((forgedCase) => ({ bytes: forgedFile(forgedCase), roots: forgedRoots })),
  ];
}

/** Signed packages with every fault and every odd shape that the test vectors lack. */
export const forgedCases: readonly ForgedCase[] = [...forgedShapes, ...forgedTimes];

export function forgedFile(forgedCase: ForgedCase): Buffer {
  return forgePackage(forgedCase.package);
}
