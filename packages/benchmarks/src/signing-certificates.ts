import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { clientTrust } from "@sealhouse/repo-signing";
import { runApart } from "./process-run.ts";
import type { Result } from "./result.ts";
import { PFX_PASSWORD } from "./signing-certificates-process.ts";
import type { CertificateFigures } from "./signing-certificates-process.ts";
import type { HoldUp } from "./watched.ts";

const FIRST_BUDGET_MS = 150;
const NEXT_BUDGET_MS = 5;
const PFX_BUDGET_MS = 25;
const TRUST_BUDGET_SECONDS = 0.05;

/** Certificates that are made while requests run, and PFX files and trust lists that are read. */
export async function measureCertificates(
  folder: string,
  { rounds }: { readonly rounds: number },
): Promise<readonly Result[]> {
  await mkdir(folder, { recursive: true });
  const pfx = writePfxFile(folder, rounds);
  // A list of some 300 roots, which each .NET SDK contains.
  const trust = await clientTrust(process.env["PATH"] ?? "");
  const args = [pfx, ...(trust ? [trust.files[0]] : [])];
  const figures = (await runApart("signing-certificates-process.ts", args)) as CertificateFigures;
  const { firstKey, nextKey, trustList } = figures;
  if (!trustList) console.error("SKIPPED: the trust list; there is no .NET SDK");
  return [
    holdUp(
      "hold-up by the first RSA-4096 certificate, libraries included",
      firstKey,
      FIRST_BUDGET_MS,
    ),
    holdUp("hold-up by the next RSA-4096 certificate", nextKey, NEXT_BUDGET_MS),
    holdUp(`hold-up by a PFX file of ${rounds} rounds`, figures.pfx, PFX_BUDGET_MS),
    ...(trustList
      ? [
          {
            what: `reading a trust list of ${trustList.roots} roots`,
            figure: trustList.cpuSeconds,
            unit: "CPU s",
            budget: TRUST_BUDGET_SECONDS,
            bound: "at most",
          } as const,
        ]
      : []),
  ];
}

function holdUp(what: string, { cpuMs, wallMs }: HoldUp, budget: number): Result {
  const remark = `CPU time; ${wallMs.toFixed(1)} ms on the clock`;
  return { what, figure: cpuMs, unit: "ms", budget, bound: "at most", remark };
}

function writePfxFile(folder: string, rounds: number): string {
  const [key, certificate, pfx] = ["key.pem", "certificate.pem", "file.pfx"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const subject = ["-subj", "/CN=Benchmark", "-days", "30"];
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    ...subject,
    "-keyout",
    key,
    "-out",
    certificate,
  );
  const password = ["-passout", `pass:${PFX_PASSWORD}`, "-macalg", "sha256"];
  const files = ["-inkey", key, "-in", certificate, "-out", pfx];
  openssl("pkcs12", "-export", "-iter", String(rounds), ...password, ...files);
  return pfx;
}

function openssl(...args: readonly string[]): void {
  execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
}
