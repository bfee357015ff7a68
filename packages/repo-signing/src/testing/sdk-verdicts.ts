import { spawn } from "node:child_process";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrustingSdk } from "./trusting-sdk.ts";

/** Output of `dotnet nuget verify --all` for one file. */
export type SdkVerdict = {
  readonly valid: boolean;
  /**
   * `Error NU3008`, `Warning NU3027`; sorted, each once. Without messages about revocation lists,
   * which do not exist for test certificates.
   */
  readonly codes: readonly string[];
  readonly contentHash: string | undefined;
  /** Facts of the first signer. */
  readonly signatureType: string | undefined;
  readonly output: string;
};

const FILES_AT_ONCE = 50;
/** The missing root as PEM; it follows the error about it. */
const ADVICE = "NU3042";

/**
 * Verifies files with a real SDK, many in each run. An error without a code ends such a run: the
 * next run continues after that file.
 */
export async function sdkVerdicts(
  sdk: TrustingSdk,
  files: readonly string[],
  options: readonly string[] = [],
): Promise<readonly SdkVerdict[]> {
  const verdicts: SdkVerdict[] = [];
  while (verdicts.length < files.length) {
    const rest = files.slice(verdicts.length, verdicts.length + FILES_AT_ONCE);
    const output = await run(sdk, ["nuget", "verify", "--all", ...rest, ...options]);
    const blocks = blocksOf(output);
    // Of some files it cannot even say the name.
    verdicts.push(...(blocks.length > 0 ? blocks : [output]).map(verdictOf));
  }
  return verdicts;
}

/** Each file begins with a line that names it, or with the one that refuses to open it. */
function blocksOf(output: string): readonly string[] {
  const begins = /^(?=Verifying |error: '[^\n]*' is not a valid package file)/m;
  return output.split(begins).filter((block) => /^(?:Verifying|error: ')/.test(block));
}

function verdictOf(output: string): SdkVerdict {
  const lines = [...output.matchAll(/^(error|warn ?) ?: (NU\d{4}): (.*)$/gm)];
  const codes = lines
    .filter(([, , code, message]) => code !== ADVICE && !/revocation/i.test(message ?? ""))
    .map(([, level, code]) => `${level === "error" ? "Error" : "Warning"} ${code ?? ""}`);
  return {
    valid: !/^error:/m.test(output),
    codes: [...new Set(codes)].toSorted(),
    contentHash: /^Content hash: (\S+)/m.exec(output)?.[1],
    signatureType: /^Signature type: (\S+)/m.exec(output)?.[1],
    output,
  };
}

/** Both streams go into one file, so that each error follows the name of its package. */
async function run(sdk: TrustingSdk, args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-verdicts-"));
  try {
    const path = join(folder, "output");
    await using file = await open(path, "a");
    await new Promise<void>((resolve, reject) => {
      const stdio = ["ignore", file.fd, file.fd] as const;
      const child = spawn(sdk.dotnet, args, { env: sdk.env, stdio: [...stdio] });
      child.on("error", reject);
      child.on("close", () => resolve());
    });
    return await readFile(path, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
