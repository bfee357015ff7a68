import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import {
  appendFile,
  copyFile,
  cp,
  link,
  mkdir,
  readdir,
  realpath,
  symlink,
} from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

/** Where the .NET SDK that is on the PATH is installed, or undefined. */
export async function installedSdk(path = process.env["PATH"] ?? ""): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const executable = join(folder, "dotnet");
    if (isExecutable(executable)) return dirname(await realpath(executable));
  }
  return undefined;
}

/**
 * True when the .NET SDK is on the PATH; otherwise prints a prominent line: `no client has verified
 * our signatures`.
 */
export async function hasSdk(untried: string): Promise<boolean> {
  if ((await installedSdk()) !== undefined) return true;
  process.stderr.write(`\nSKIPPED: dotnet is not on the PATH, so ${untried}\n\n`);
  return false;
}

export type TrustingSdk = {
  /** Path of its `dotnet`. */
  readonly dotnet: string;
  /** For `spawn`: keeps the machine's settings and telemetry out of it. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * A private copy of the SDK in `folder` that trusts `codeSigning` and `timestamping` roots (PEM)
 * besides its own. Only the two trust lists and the starter are copied; the rest is linked, so it
 * costs a fraction of a second and next to no space.
 */
export async function trustingSdk(
  roots: { readonly codeSigning: readonly string[]; readonly timestamping: readonly string[] },
  folder: string,
): Promise<TrustingSdk> {
  const installed = await installedSdk();
  if (installed === undefined) throw new Error("dotnet is not on the PATH");
  await mkdir(join(folder, "sdk"), { recursive: true });
  for (const name of await readdir(installed)) {
    if (name === "dotnet") await copyFile(join(installed, name), join(folder, name));
    else if (name !== "sdk") await symlink(join(installed, name), join(folder, name));
  }
  for (const version of await readdir(join(installed, "sdk"))) {
    const lists = join(await linkVersion(installed, folder, version), "trustedroots");
    await appendFile(join(lists, "codesignctl.pem"), `\n${roots.codeSigning.join("\n")}`);
    await appendFile(join(lists, "timestampctl.pem"), `\n${roots.timestamping.join("\n")}`);
  }
  const home = join(folder, "home");
  const temporary = join(folder, "tmp");
  for (const own of [home, temporary]) await mkdir(own, { recursive: true });
  return {
    dotnet: join(folder, "dotnet"),
    env: {
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      DOTNET_ROOT: folder,
      DOTNET_CLI_HOME: home,
      HOME: home,
      // Every command leaves empty folders there.
      TMPDIR: temporary,
      NUGET_PACKAGES: join(home, "packages"),
      DOTNET_CLI_TELEMETRY_OPTOUT: "1",
      DOTNET_NOLOGO: "1",
      DOTNET_GENERATE_ASPNET_CERTIFICATE: "false",
      DOTNET_CLI_UI_LANGUAGE: "en",
    },
  };
}

/** Runs a command of the copy and gives what it printed. */
export function runDotnet(
  sdk: TrustingSdk,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(sdk.dotnet, args, { env: sdk.env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const take = (chunk: Buffer) => {
      output += chunk.toString("utf8");
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** The runtime resolves symbolic links of the files it starts, so those are hard links. */
async function linkVersion(installed: string, folder: string, version: string): Promise<string> {
  const from = join(installed, "sdk", version);
  const to = join(folder, "sdk", version);
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === "trustedroots") await cp(source, target, { recursive: true });
    else if (entry.isDirectory()) await symlink(source, target);
    else await link(source, target).catch(() => copyFile(source, target));
  }
  return to;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
