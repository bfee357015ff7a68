import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { X509Certificate } from "node:crypto";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { hasClient, openFolder, run } from "./clients/client.ts";
import { parseIni, readPage, textsOf } from "./manual-page.ts";
import { push, verified } from "./pushed-package.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PAGE = await readPage("pkcs11.md");
const MODULE = join(ROOT, "docs/signing/examples/signing-pkcs11.mjs");
const LIBRARY = "/usr/lib/softhsm/libsofthsm2.so";
const LIST_KEYS =
  `pkcs11-tool --module ${LIBRARY} --token-label feed --login --pin 1234 ` +
  "--list-objects --type privkey";

describe.skipIf(!hasDevice())("docs/signing/pkcs11.md, followed with SoftHSM", () => {
  test("a key that never leaves the device asks for a certificate, and signs packages", async () => {
    await using opened = await openFolder();
    const folder = opened.path;
    await install(folder);
    const [makeKey = "", request = ""] = textsOf(PAGE, "sh");
    const settings = parseIni(textsOf(PAGE, "ini").join(""));
    const env = {
      ...settings,
      Signing__TimestampServerUrl: "",
      SOFTHSM2_CONF: join(folder, "softhsm2.conf"),
      ASPNETCORE_URLS: "http://127.0.0.1:0",
    };
    await shell(makeKey, { folder, env });
    const listed = await shell(LIST_KEYS, { folder, env });
    expect(listed).toMatch(/Access: +sensitive, always sensitive, never extract/);
    await shell(request, { folder, env });
    for (const line of [
      "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=CA -keyout ca.key -out ca.pem",
      "openssl req -in feed.csr -verify -noout",
      "openssl x509 -req -in feed.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 90 " +
        "-copy_extensions copy -out leaf.pem",
      "cat leaf.pem ca.pem > feed.pem",
    ]) {
      await shell(line, { folder, env });
    }
    await using host = await spawnHost({ folder, env });
    const token = await host.makeToken({ scopes: "write" });
    const pushes = ["Acme.A", "Acme.B", "Acme.C"].map((id) => push(host, id, token));
    expect((await Promise.all(pushes)).map(({ status }) => status)).toEqual([201, 201, 201]);
    const root = new X509Certificate(await readFile(join(folder, "ca.pem"))).raw;
    expect(await verified(host, "Acme.C", root)).toMatchObject({
      valid: true,
      signatureType: "Repository",
      signer: { subject: "CN=Packages of Acme, O=Acme" },
    });
  });

  test("reports a wrong setting, with its key, before the host listens", async () => {
    await using opened = await openFolder();
    const folder = opened.path;
    await install(folder);
    const [makeKey = ""] = textsOf(PAGE, "sh");
    const settings = parseIni(textsOf(PAGE, "ini").join(""));
    const env = {
      ...settings,
      SOFTHSM2_CONF: join(folder, "softhsm2.conf"),
      ASPNETCORE_URLS: "http://127.0.0.1:0",
    };
    await shell(makeKey, { folder, env });
    await shell("sealhouse signing self-issue --out feed.pem", { folder, env });
    for (const [name, text, words] of [
      ["TokenLabel", "other", /Signing__Pkcs11__TokenLabel: There is no token other/],
      ["KeyLabel", "other", /Signing__Pkcs11__KeyLabel: There is no private key other/],
      ["Pin", "9999", /Signing__Pkcs11__Pin: The device refused it: CKR_PIN_INCORRECT/],
      ["CertificatePath", "no.pem", /Certificate not found: .*no\.pem/],
      ["Pin", "", /Signing__Pkcs11__Pin: is required/],
    ] as const) {
      const wrong = { ...env, [`Signing__Pkcs11__${name}`]: text };
      const { code, stderr } = await spawnCli(["serve"], { folder, env: wrong });
      expect(stderr).toMatch(words);
      expect(stderr).not.toContain("9999");
      expect(code).toBe(78);
    }
  });
});

/** Creates the files that `npm install` and the reader of the page create. */
async function install(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@sealhouse"), { recursive: true });
  await symlink(join(ROOT, "packages/repo-signing"), join(modules, "@sealhouse/repo-signing"));
  await symlink(dirname(pkcs11Location()), join(modules, "pkcs11js"));
  await cp(MODULE, join(folder, "signing-pkcs11.mjs"));
  const main = join(ROOT, "hosts/registry/src/main.ts");
  const command = join(folder, "sealhouse");
  const start = `"${process.execPath}" --conditions=@sealhouse/source "${main}" "$@"`;
  await writeFile(command, `#!/bin/sh\nexec ${start}\n`);
  await chmod(command, 0o755);
}

async function shell(
  script: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const PATH = `${folder}${delimiter}${process.env["PATH"] ?? ""}`;
  const { code, output } = await run("sh", ["-ec", script], {
    cwd: folder,
    env: { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder, ...env, PATH },
  });
  if (code !== 0) throw new Error(`${script}\n${output}`);
  return output;
}

function pkcs11Location(): string {
  return createRequire(join(ROOT, "package.json")).resolve("pkcs11js");
}

function hasDevice(): boolean {
  if (!hasClient("softhsm2-util") || !hasClient("pkcs11-tool")) return false;
  const missing = [LIBRARY, join(ROOT, "node_modules/pkcs11js/build/Release/pkcs11.node")].filter(
    (path) => !existsSync(path),
  );
  for (const path of missing) {
    process.stderr.write(`\nSKIPPED: ${path} is not there; no device signs packages\n\n`);
  }
  return missing.length === 0;
}
