import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findInCertificateStore } from "./certificate-store.ts";
import { writePfx } from "../certificate-thread/pfx.ts";
import { createTestCredential } from "../testing/test-credential.ts";
import { pemOf } from "../testing/test-signer.ts";
import { hasSdk } from "../testing/trusting-sdk.ts";
import { runCommand } from "./windows-certificate-store.ts";
import type { RunCommand } from "./windows-certificate-store.ts";

const home = mkdtempSync(join(tmpdir(), "sealhouse-store-"));
afterAll(() => rmSync(home, { recursive: true }));
const credential = await createTestCredential();
const thumbprint = createHash("sha1")
  .update(credential.chain[0] ?? "")
  .digest("hex");
const query = { thumbprint, storeName: "My", storeLocation: "CurrentUser" } as const;
const linux = { platform: "linux", home } as const;

function folderOf(name: string): string {
  const folder = join(home, ".dotnet", "corefx", "cryptography", "x509stores", name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

describe.skipIf(!(await hasSdk("its certificate store is not read")))(
  "a store that .NET itself wrote",
  () => {
    test("gives key and certificate by thumbprint, in any spelling", async () => {
      const dotnetHome = join(home, "user");
      const work = join(home, "work");
      mkdirSync(dotnetHome);
      mkdirSync(work);
      writeFileSync(join(work, "cert.pem"), credential.certificatePem);
      writeFileSync(join(work, "key.pem"), credential.keyPem);
      const program = `
#:property PublishAot=false
using System.Security.Cryptography.X509Certificates;
using var pem = X509Certificate2.CreateFromPemFile("cert.pem", "key.pem");
foreach (var name in new[] { StoreName.My, StoreName.CertificateAuthority }) {
  using var store = new X509Store(name, StoreLocation.CurrentUser);
  store.Open(OpenFlags.ReadWrite);
  store.Add(pem);
}
`;
      writeFileSync(join(work, "add.cs"), program);
      const ran = spawnSync("dotnet", ["run", "add.cs"], {
        cwd: work,
        env: {
          ...process.env,
          HOME: dotnetHome,
          TMPDIR: dotnetHome,
          DOTNET_CLI_HOME: dotnetHome,
          DOTNET_NOLOGO: "1",
        },
        encoding: "utf8",
      });
      expect(ran.stdout + ran.stderr).toBe("");
      const stores = join(dotnetHome, ".dotnet/corefx/cryptography/x509stores");
      expect(readdirSync(join(stores, "my"))).toEqual([`${thumbprint.toUpperCase()}.pfx`]);
      for (const storeName of ["My", "my", "CA", "CertificateAuthority"]) {
        const storeQuery = { ...query, storeName, thumbprint: thumbprint.toLowerCase() };
        const result = await findInCertificateStore(storeQuery, { ...linux, home: dotnetHome });
        expect(result.key.equals(credential.key)).toBe(true);
        expect(result.chain.map(pemOf)).toEqual([credential.certificatePem]);
      }
    });
  },
);

describe("the folder of a user", () => {
  test("skips a file of that name with another certificate", async () => {
    const other = await createTestCredential({ subject: "CN=Another" });
    const folder = folderOf("root");
    const [first, second] = ["pfx", "1.pfx"].map((end) => `${thumbprint.toUpperCase()}.${end}`);
    writeFileSync(join(folder, first ?? ""), await writePfx(other, ""));
    const storeQuery = { ...query, storeName: "Root" };
    await expect(findInCertificateStore(storeQuery, linux)).rejects.toThrow(
      /^Certificate not found/,
    );
    writeFileSync(join(folder, second ?? ""), await writePfx(credential, ""));
    const { chain } = await findInCertificateStore(storeQuery, linux);
    expect(Buffer.from(chain[0] ?? "")).toEqual(Buffer.from(credential.chain[0] ?? ""));
  });

  test("names the place when there is no such certificate", async () => {
    const nowhere = { ...linux, home: join(home, "nobody") };
    await expect(findInCertificateStore(query, nowhere)).rejects.toMatchObject({
      problem: "certificate-file",
      message: expect.stringMatching(
        /^Certificate not found: [0-9A-F]{40} in CurrentUser\\My; looked in .*\/my\/\w{40}\.pfx\.$/,
      ),
    });
    const machine = { ...query, storeLocation: "LocalMachine" } as const;
    await expect(findInCertificateStore(machine, linux)).rejects.toThrow(
      /^Certificate not found: .*only Windows keeps keys in LocalMachine; use CurrentUser/,
    );
  });

  test("a damaged file is named", async () => {
    writeFileSync(join(folderOf("my"), `${thumbprint.toUpperCase()}.pfx`), "broken");
    await expect(findInCertificateStore(query, linux)).rejects.toThrow(/\.pfx: .*it is damaged/);
  });
});

describe("the stores of Windows, with a stand-in for PowerShell", () => {
  const withRun = (run: RunCommand) => ({ platform: "win32", run, home }) as const;

  test("asks by environment, and opens what comes back with the password it made", async () => {
    const calls: { script: string; env: Readonly<Record<string, string>> }[] = [];
    const result = await findInCertificateStore(
      { ...query, storeName: "My'; Remove-Item *" },
      withRun(async (command, args, { env, timeoutMs }) => {
        expect([command, timeoutMs]).toEqual(["powershell.exe", 30_000]);
        const script = Buffer.from(args.at(-1) ?? "", "base64").toString("utf16le");
        calls.push({ script, env });
        const pfx = await writePfx(credential, env["SEALHOUSE_EXPORT_PASSWORD"] ?? "");
        return { code: 0, stdout: `${Buffer.from(pfx).toString("base64")}\r\n`, stderr: "" };
      }),
    );
    expect(result.key.equals(credential.key)).toBe(true);
    expect(result.chain).toHaveLength(3);
    const [{ script, env } = { script: "", env: {} }] = calls;
    expect(script).not.toContain("Remove-Item");
    expect(script).toContain("$name = $env:SEALHOUSE_STORE_NAME");
    expect(env).toMatchObject({
      SEALHOUSE_STORE_NAME: "My'; Remove-Item *",
      SEALHOUSE_STORE_LOCATION: "CurrentUser",
      SEALHOUSE_THUMBPRINT: thumbprint,
    });
    expect(env["SEALHOUSE_EXPORT_PASSWORD"]).toMatch(/^[\w-]{32}$/);
  });

  test.each([
    [3, "", /^Certificate not found: .*looked in the Windows certificate store CurrentUser\\My\./],
    [4, "", /the certificate has no private key there/],
    [5, "\r\nKey not valid for use in specified state.\r\n", /not marked exportable.*\(Key not/],
    [1, "#< CLIXML\r\n<Objs>denied</Objs>", /PowerShell could not look into it \(1: <Objs>denied/],
    [-1, "spawn powershell.exe ENOENT", /PowerShell could not.*ENOENT/],
  ])("exit code %i", async (code, stderr, words) => {
    const run = withRun(async () => ({ code, stdout: "", stderr }));
    await expect(findInCertificateStore(query, run)).rejects.toThrow(words);
  });

  test("a program is run without a shell, to its end, in limited time", async () => {
    const node = (code: string, timeoutMs = 30_000) =>
      runCommand(process.execPath, ["-e", code], { env: { GIVEN: "$HOME;x" }, timeoutMs });
    expect(await node("process.stdout.write(process.env.GIVEN); process.exitCode = 7")).toEqual({
      code: 7,
      stdout: "$HOME;x",
      stderr: "",
    });
    expect(await node("setInterval(() => 0, 1000)", 300)).toMatchObject({
      code: -1,
      stderr: "it took longer than 300 ms",
    });
    const missing = runCommand("no-such-program", [], { env: {}, timeoutMs: 1000 });
    expect(await missing).toMatchObject({ code: -1, stderr: expect.stringContaining("ENOENT") });
  });
});
