// `node signing-certificates-process.ts <PFX file> [PEM file of roots]`: measures how long making
// and reading certificates holds up a process, and prints the figures as JSON.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { openSelfSigned, readPfx, readTrustList } from "@sealhouse/repo-signing";
import { createMemoryCertificateFile, createMemoryLedger } from "@sealhouse/repo-signing/testing";
import { watched } from "./watched.ts";
import type { HoldUp } from "./watched.ts";

export type CertificateFigures = {
  /** With the loading of the libraries that write certificates. */
  readonly firstKey: HoldUp;
  readonly nextKey: HoldUp;
  readonly pfx: HoldUp;
  /** Undefined without a list of roots. */
  readonly trustList?: { readonly roots: number; readonly cpuSeconds: number };
};

/** The password of the PFX file. */
export const PFX_PASSWORD = "benchmark";

const [pfxPath = "", rootsPath] = process.argv.slice(2);
if (import.meta.main) console.log(JSON.stringify(await measure()));

async function measure(): Promise<CertificateFigures> {
  const pfx = await readFile(pfxPath);
  const trustList = rootsPath === undefined ? undefined : await trustListFigures(rootsPath);
  return {
    firstKey: await watched(makeCertificate),
    nextKey: await watched(makeCertificate),
    pfx: await watched(() => readPfx(pfx, PFX_PASSWORD)),
    ...(trustList && { trustList }),
  };
}

function makeCertificate(): Promise<unknown> {
  return openSelfSigned({
    file: createMemoryCertificateFile(),
    next: createMemoryCertificateFile(),
    ledger: createMemoryLedger(),
    password: PFX_PASSWORD,
    subject: { serverName: "Benchmark" },
    keySize: 4096,
    validityInDays: 3650,
    hash: "SHA256",
    now: () => new Date(),
    randomBytes,
  });
}

async function trustListFigures(path: string): Promise<CertificateFigures["trustList"]> {
  const pem = await readFile(path);
  const before = process.cpuUsage();
  const roots = readTrustList(pem).length;
  const { user, system } = process.cpuUsage(before);
  return { roots, cpuSeconds: (user + system) / 1e6 };
}
