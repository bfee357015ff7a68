import { readFileSync } from "node:fs";
import { readTrustList } from "../verify/trust-list.ts";
import { forgedCases, forgedFile } from "./forged-cases.ts";
import { forgedRoots } from "./forged-identities.ts";
import type { SignatureSeed } from "./fuzz-signatures.ts";

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
