import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTestCredential } from "@sealhouse/repo-signing/testing";
import { afterAll, expect, test } from "vitest";
import { kmsSettings, startKmsStandIn } from "../../../packages/signing-aws/src/testing/index.ts";
import { KEY_SETTINGS, openStandIn } from "../../../packages/signing-google/src/testing/index.ts";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { openFolder, run } from "./clients/client.ts";
import { push, verified } from "./pushed-package.ts";

const CLEAN_UP = new AsyncDisposableStack();
afterAll(() => CLEAN_UP.disposeAsync());

const KEY = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const aws = CLEAN_UP.use(await startKmsStandIn({ key: KEY }));
const google = CLEAN_UP.use(await openStandIn());
const COMMON = {
  Signing__TimestampServerUrl: "",
  Host__ServerName: "Acme Feed",
  ASPNETCORE_URLS: "http://127.0.0.1:0",
};
/** Everything but the certificate. */
const MODES = {
  AwsKms: { ...COMMON, Signing__Mode: "AwsKms", ...kmsSettings(aws) },
  GcpKms: {
    ...COMMON,
    Signing__Mode: "GcpKms",
    ...Object.fromEntries(
      Object.entries({ ...KEY_SETTINGS, ...google.settings }).map(([key, text]) => [
        `Signing__GcpKms__${key}`,
        text,
      ]),
    ),
  },
};

async function openssl(folder: string, line: string): Promise<string> {
  const { code, output } = await run("openssl", line.split(" "), { cwd: folder });
  if (code !== 0) throw new Error(`openssl ${line}\n${output}`);
  return output;
}

test.each(["AwsKms", "GcpKms"] as const)(
  "%s: a request before there is a certificate, an authority that issues it, a signed package",
  async (mode) => {
    await using opened = await openFolder();
    const folder = opened.path;
    const command = ["signing", "csr", "--subject", "CN=Packages of Acme, O=Acme"];
    const made = await spawnCli([...command, "--out", "feed.csr"], { folder, env: MODES[mode] });
    expect(made).toMatchObject({ code: 0, stdout: "" });
    const text = await openssl(folder, "req -in feed.csr -verify -noout -subject");
    expect(text).toContain("self-signature verify OK");
    expect(text).toContain("O = Acme, CN = Packages of Acme");

    await openssl(
      folder,
      "req -x509 -newkey rsa:2048 -nodes -subj /CN=Authority -keyout ca.key -out ca.pem",
    );
    const issue = "x509 -req -in feed.csr -days 90 -copy_extensions copy -out leaf.pem";
    await openssl(folder, `${issue} -CA ca.pem -CAkey ca.key -CAcreateserial`);
    const [leaf, root] = await Promise.all(
      ["leaf.pem", "ca.pem"].map((name) => readFile(join(folder, name), "utf8")),
    );
    await writeFile(join(folder, "feed.pem"), `${leaf}${root}`);
    const env = { ...MODES[mode], [`Signing__${mode}__CertificatePath`]: "feed.pem" };
    await using host = await spawnHost({ folder, env });
    expect((await push(host, "Acme.Issued")).status).toBe(201);
    const authority = new X509Certificate(root ?? "").raw;
    expect(await verified(host, "Acme.Issued", authority)).toMatchObject({
      valid: true,
      signer: { subject: "CN=Packages of Acme, O=Acme" },
    });
  },
);

test("a certificate that the key issued itself signs packages, too", async () => {
  await using opened = await openFolder();
  const folder = opened.path;
  const made = await spawnCli(["signing", "self-issue", "--days", "30"], {
    folder,
    env: MODES.AwsKms,
  });
  expect(made).toMatchObject({ code: 0, stderr: "" });
  await writeFile(join(folder, "feed.pem"), made.stdout);
  const certificate = new X509Certificate(made.stdout);
  expect(certificate.subject).toBe("CN=Acme Feed");
  expect(Math.round((certificate.validToDate.getTime() - Date.now()) / 86_400_000)).toBe(30);
  const env = { ...MODES.AwsKms, Signing__AwsKms__CertificatePath: "feed.pem" };
  await using host = await spawnHost({ folder, env });
  expect((await push(host, "Acme.Tried")).status).toBe(201);
  expect(await verified(host, "Acme.Tried", certificate.raw)).toMatchObject({ valid: true });
});

test("requests the next certificate for a stored key with the old one, ended or not", async () => {
  await using opened = await openFolder();
  const folder = opened.path;
  const ended = await createTestCredential({ notAfter: new Date(Date.now() - 1000) });
  await writeFile(join(folder, "feed.pem"), ended.keyPem + ended.certificatePem);
  const Signing__StoredCertificate__FilePath = "feed.pem";
  const stored = { ...COMMON, Signing__Mode: "StoredCertificate" };
  const env = { ...stored, Signing__StoredCertificate__FilePath };
  const { code, stdout } = await spawnCli(["signing", "csr"], { folder, env });
  expect(code).toBe(0);
  await writeFile(join(folder, "next.csr"), stdout);
  const text = await openssl(folder, "req -in next.csr -verify -noout -subject");
  // Two streams, in any order.
  expect(text).toContain("verify OK");
  expect(text).toContain("CN = Acme Feed");
});

const REFUSED: readonly [readonly string[], Readonly<Record<string, string>>, RegExp][] = [
  [["csr"], { Signing__Mode: "" }, /^Signing is off: set Signing__Mode/],
  [["csr"], { Signing__Mode: "SelfSigned" }, /creates its certificate: .*signing rotate/],
  [
    ["csr"],
    {
      Signing__Mode: "AzureKeyVault",
      Signing__AzureKeyVault__VaultUri: "https://acme.vault.azure.net",
      Signing__AzureKeyVault__CertificateName: "feed",
    },
    /^Azure Key Vault makes requests and self-signed certificates itself/,
  ],
  [["csr", "--subject", "Acme"], MODES.AwsKms, /not a part of a name such as CN=Example/],
  [["csr", "--out", "taken.csr"], MODES.AwsKms, /taken.csr cannot be written: it exists; name/],
  [["csr", "--out", "no/such/x.csr"], MODES.AwsKms, /x.csr cannot be written: ENOENT/],
  [["self-issue", "--days", "4000"], MODES.AwsKms, /validity must be 1 to 3650 days/],
  [["self-issue", "--days", "soon"], MODES.AwsKms, /--days soon is not a whole number/],
  [
    ["self-issue"],
    { ...MODES.AwsKms, Signing__AwsKms__SigningAlgorithm: "RSASSA_PSS_SHA_256" },
    /set up for RSASSA-PSS, and clients refuse certificates that are signed so/,
  ],
  [
    ["csr"],
    { ...MODES.AwsKms, Signing__AwsKms__KeyId: "alias/none" },
    /key alias\/none of AWS KMS .*correct Signing__AwsKms__KeyId/,
  ],
];

test.each(REFUSED)("signing %j is refused: %#", async (words, env, reason) => {
  await using folder = await openFolder();
  await writeFile(join(folder.path, "taken.csr"), "mine");
  const ran = await spawnCli(["signing", ...words], {
    folder: folder.path,
    env: { ...COMMON, ...env },
  });
  expect(ran.stderr).toMatch(reason);
  expect(ran.stderr).not.toContain("    at ");
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(await readFile(join(folder.path, "taken.csr"), "utf8")).toBe("mine");
});
