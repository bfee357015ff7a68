import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeNupkg } from "./artifacts.ts";
import { makeToken, openHost } from "./host-process.ts";
import { pushNupkg } from "./pushes.ts";
import type { Result } from "./result.ts";
import { downloadSigned, measureFirstDownloads } from "./signing-downloads.ts";
import { measureCertificates } from "./signing-certificates.ts";
import { measureSeals } from "./signing-seals.ts";
import { measureVerification } from "./signing-verification.ts";

const MIB = 1024 * 1024;
const USUAL = {
  rounds: 11,
  roundMs: 500,
  largeMib: 1024,
  verifiedMib: 200,
  restarts: 5,
  pfxRounds: 1_000_000,
};
const SMOKE = {
  rounds: 3,
  roundMs: 50,
  largeMib: 20,
  verifiedMib: 10,
  restarts: 1,
  pfxRounds: 10_000,
};

/** Seals, first downloads and verification, each compared with its lower bound. */
export async function measureSigning(folder: string, smoke: boolean): Promise<readonly Result[]> {
  const { rounds, roundMs, largeMib, verifiedMib, restarts, pfxRounds } = smoke ? SMOKE : USUAL;
  return [
    ...(await measureSeals({ rounds, roundMs })),
    ...(await measureFirstDownloads(folder, { largeMib, rounds: restarts })),
    ...(await measureCertificates(join(folder, "certificates"), { rounds: pfxRounds })),
    ...(await measureVerified(folder, { mib: verifiedMib, rounds })),
  ];
}

/** The verified package is one that the host has signed. */
async function measureVerified(
  folder: string,
  options: { readonly mib: number; readonly rounds: number },
): Promise<readonly Result[]> {
  const data = join(folder, "verified");
  const namedPackage = { id: "Bench.Verified", version: "1.0.0" };
  const signed = join(folder, "signed.nupkg");
  const env = { Signing__TimestampServerUrl: "" };
  const token = await makeToken(data, env);
  {
    await using host = await openHost(data, { env });
    const path = await writeNupkg(folder, namedPackage, options.mib * MIB);
    await pushNupkg(host.url, token, path);
    await rm(path);
    await downloadSigned(host, namedPackage, signed);
  }
  return measureVerification(signed, options);
}
