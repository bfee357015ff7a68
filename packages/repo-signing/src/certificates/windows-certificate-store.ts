import { execFile } from "node:child_process";

/** Runs a program to its end. `env` comes on top of the environment of this process. */
export type RunCommand = (
  command: string,
  args: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number },
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

export type Exported =
  | { readonly status: "exported"; readonly pfx: Uint8Array }
  | { readonly status: "not-found" }
  | { readonly status: "failed"; readonly reason: string };

const TIMEOUT_MS = 30_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Exit code and output of the script. */
const EXIT = { exported: 0, notFound: 3, noKey: 4, notExportable: 5 } as const;

/**
 * Values come by environment, never inside the script, so that none is taken for a command. The
 * file goes to standard output in base64, protected with a password made for this one call.
 */
const SCRIPT = `
$ErrorActionPreference = 'Stop'
$x509 = 'System.Security.Cryptography.X509Certificates'
$name = $env:SEALHOUSE_STORE_NAME
$location = $env:SEALHOUSE_STORE_LOCATION
$store = New-Object "$x509.X509Store" -ArgumentList $name, $location
try { $store.Open('ReadOnly, OpenExistingOnly') } catch { exit ${EXIT.notFound} }
try {
  $found = $store.Certificates.Find('FindByThumbprint', $env:SEALHOUSE_THUMBPRINT, $false)
  if ($found.Count -eq 0) { exit ${EXIT.notFound} }
  $certificate = $found[0]
  if (-not $certificate.HasPrivateKey) { exit ${EXIT.noKey} }
  $all = New-Object "$x509.X509Certificate2Collection"
  [void]$all.Add($certificate)
  $chain = New-Object "$x509.X509Chain"
  $chain.ChainPolicy.RevocationMode = 'NoCheck'
  [void]$chain.Build($certificate)
  foreach ($element in $chain.ChainElements) {
    if ($element.Certificate.Thumbprint -ne $certificate.Thumbprint) {
      $raw = $element.Certificate.RawData
      [void]$all.Add((New-Object "$x509.X509Certificate2" -ArgumentList (,$raw)))
    }
  }
  try { $pfx = $all.Export('Pfx', $env:SEALHOUSE_EXPORT_PASSWORD) } catch {
    [Console]::Error.WriteLine($_.Exception.Message)
    exit ${EXIT.notExportable}
  }
  [Console]::Out.Write([Convert]::ToBase64String($pfx))
} finally { $store.Close() }
`;

/** Exports a certificate with its key and its issuers, by Windows PowerShell. */
export async function exportFromWindows(
  query: {
    readonly thumbprint: string;
    readonly storeName: string;
    readonly storeLocation: string;
    /** Protects what is exported on its way here. */
    readonly password: string;
  },
  run: RunCommand,
): Promise<Exported> {
  const encoded = Buffer.from(SCRIPT, "utf16le").toString("base64");
  const { code, stdout, stderr } = await run(
    "powershell.exe",
    ["-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded],
    {
      env: {
        SEALHOUSE_STORE_NAME: query.storeName,
        SEALHOUSE_STORE_LOCATION: query.storeLocation,
        SEALHOUSE_THUMBPRINT: query.thumbprint,
        SEALHOUSE_EXPORT_PASSWORD: query.password,
      },
      timeoutMs: TIMEOUT_MS,
    },
  );
  switch (code) {
    case EXIT.exported:
      return { status: "exported", pfx: Buffer.from(stdout.trim(), "base64") };
    case EXIT.notFound:
      return { status: "not-found" };
    case EXIT.noKey:
      return failed("the certificate has no private key there, or this account may not use it.");
    case EXIT.notExportable:
      return failed(
        "the private key is not marked exportable; import it again as exportable, or use a " +
          `file or a key service instead (${firstLine(stderr)}).`,
      );
    default:
      return failed(`PowerShell could not look into it (${code}: ${firstLine(stderr)}).`);
  }
}

/** Never rejects: a script that cannot run has code -1 and the reason on standard error. */
export const runCommand: RunCommand = (command, args, { env, timeoutMs }) =>
  new Promise((resolve) => {
    const options = {
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      maxBuffer: OUTPUT_BYTES_MAX,
      windowsHide: true,
      encoding: "utf8",
    } as const;
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
      else {
        const why = error.killed ? `it took longer than ${timeoutMs} ms` : error.message;
        resolve({ code: -1, stdout, stderr: why });
      }
    });
  });

function failed(reason: string): Exported {
  return { status: "failed", reason };
}

/** PowerShell writes errors as XML without a terminal; one line is enough for a message. */
function firstLine(text: string): string {
  const line = text
    .split(/\r?\n/)
    .find((candidate) => candidate.trim() !== "" && !candidate.startsWith("#<"));
  return (line ?? "no reason given").trim().slice(0, 200);
}
