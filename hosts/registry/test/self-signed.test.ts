import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { copyFile, glob, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readPfx } from "@sealhouse/repo-signing";
import { expect, test } from "vitest";
import { isExtended, runCli, spawnCli, startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { openFolder, run } from "./clients/client.ts";
import { parseIni, readPage, textsOf } from "./manual-page.ts";
import { push, verified } from "./pushed-package.ts";

/** Tests of the signing package open more instances, in one process. */
const INSTANCES = isExtended ? 3 : 2;
const SCRIPT = fileURLToPath(new URL("open-own-certificate.ts", import.meta.url));
const OFF = { Signing__TimestampServerUrl: "" };
const PFX = "packages/certs/repository-signing.pfx";

test("processes that start or renew at the same moment use one certificate", async () => {
  await using folder = await openFolder();
  const created = await openAtOnce(folder.path, "2026-11-22T12:00:00Z");
  expect(created.size).toBe(1);
  const unchanged = isExtended ? ["2027-11-01T12:00:00Z"] : [];
  for (const now of [...unchanged, "2027-11-20T12:00:00Z"]) {
    expect(await openAtOnce(folder.path, now)).toEqual(created);
  }
  const renewed = await openAtOnce(folder.path, "2027-11-20T13:00:00Z");
  expect(renewed.size).toBe(1);
  expect(renewed).not.toEqual(created);
  const files = await Array.fromAsync(glob("**/*.pfx*", { cwd: folder.path }));
  expect(files.toSorted()).toEqual([join("certs", "own.pfx"), join("certs", "own.pfx.next")]);
});

test("docs/signing/self-signed.md makes the certificate it describes", async () => {
  await using folder = await openFolder();
  const page = await readPage("self-signed.md");
  const settings = ["ini", "ini password"].flatMap((name) => textsOf(page, name));
  const password = "pässword of the page";
  const env = { ...parseIni(settings.join("")), ...OFF, FEED_CERTIFICATE_PASSWORD: password };
  await using host = await startHost({ folder: folder.path, env });
  const { der, leaf } = await pushed(host, "Acme.Own");
  expect(leaf.subject.split("\n").toReversed()).toEqual([
    "CN=packages.example",
    "OU=Build",
    "O=Acme",
    "C=DE",
  ]);
  expect(leaf.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3072);
  const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const day = 24 * 60 * 60 * 1000;
  expect(to - from).toBe(366 * day);
  expect(Math.abs(Date.now() - day - from)).toBeLessThan(120_000);
  const file = await readPfx(await readFile(join(folder.path, PFX)), password);
  expect(Buffer.from(file.chain[0] ?? []).equals(der)).toBe(true);

  await copyFile(join(folder.path, PFX), join(folder.path, "repository-signing.pfx"));
  const script = textsOf(page, "sh").join("");
  const ran = await run("sh", ["-ec", script], {
    cwd: folder.path,
    env: { FEED_CERTIFICATE_PASSWORD: password },
  });
  expect(ran).toMatchObject({ code: 0 });
  const pem = await readFile(join(folder.path, "repository-signing.pem"));
  expect(new X509Certificate(pem).raw.equals(der)).toBe(true);
});

test("changed settings prepare a certificate, a deleted file makes one; all stay listed", async () => {
  await using folder = await openFolder();
  const fingerprints: string[] = [];
  const session = async (env: Record<string, string>, id: string): Promise<void> => {
    await using host = await startHost({ folder: folder.path, env: { ...OFF, ...env } });
    fingerprints.push((await pushed(host, id)).leaf.fingerprint256);
  };
  await session({ Signing__SelfSigned__SubjectName: "CN=Feed,ST=Bayern" }, "Acme.One");
  await session({ Signing__SelfSigned__SubjectName: "CN=Feed, S=Bayern" }, "Acme.Same");
  const changed = { Signing__SelfSigned__SubjectName: "CN=Feed, S=Hessen" };
  await session(changed, "Acme.Prepared");
  const env = { ...OFF, ...changed, ASPNETCORE_ENVIRONMENT: "Development" };
  const rotated = await spawnCli(["signing", "rotate", "--now"], { folder: folder.path, env });
  expect(rotated.code).toBe(0);
  await session(changed, "Acme.Two");
  await rm(join(folder.path, PFX));
  await rm(join(folder.path, `${PFX}.next`));
  await using host = await startHost({
    folder: folder.path,
    env: { ...OFF, Signing__SelfSigned__SubjectName: "CN=Feed, S=Hessen" },
  });
  fingerprints.push((await pushed(host, "Acme.Three")).leaf.fingerprint256);
  const [first, same, prepared, two, three] = fingerprints.map(plain);
  expect([same, prepared]).toEqual([first, first]);
  expect(two).toBe(rotated.stdout.trim());
  expect(new Set([first, two, three]).size).toBe(3);
  const index = await (await host.fetch("/v3/repository-signatures/index.json")).text();
  for (const fingerprint of [first, two, three]) {
    expect(index).toContain(fingerprint);
    expect((await host.fetch(`/v3/certificates/${fingerprint}.crt`)).status).toBe(200);
  }
});

test("a password that does not fit leaves the file alone, and packages unsigned", async () => {
  await using folder = await openFolder();
  {
    await using host = await startHost({ folder: folder.path, env: OFF });
    await pushed(host, "Acme.Signed");
  }
  const before = await readFile(join(folder.path, PFX));
  const env = { ...OFF, Signing__CertificatePasswordSecret: "OTHER", OTHER: "another password" };
  await using host = await startHost({ folder: folder.path, env });
  const answer = await push(host, "Acme.Unsigned");
  expect(answer.status).toBe(201);
  expect(answer.headers.get("x-nuget-warning")).toMatch(/password does not open it.*delete the/);
  expect(await verified(host, "acme.unsigned")).toMatchObject({ signatureType: "none" });
  expect((await readFile(join(folder.path, PFX))).equals(before)).toBe(true);
  expect(host.output()).not.toContain("another password");
});

test.each([
  ["SubjectName", "just words", /Signing__SelfSigned__SubjectName: “just words” is not a part/],
  ["SubjectName", "CN=a, C=Germany", /SubjectName: the country “Germany” is not a two-letter/],
  ["Country", "DEU", /Signing__SelfSigned__Country: "DEU" is not allowed/],
  ["ValidityInDays", "3651", /Signing__SelfSigned__ValidityInDays: "3651" is not allowed/],
  ["KeySize", "KeySize1024", /Signing__SelfSigned__KeySize: "KeySize1024" is not allowed/],
  ["HashAlgorithm", "SHA1", /Signing__SelfSigned__HashAlgorithm: "SHA1" is not allowed/],
  ["CertificatePath", "../own.pfx", /Signing__SelfSigned__CertificatePath: "\.\.\/own.pfx" is not/],
])("%s=%s stops the start", async (key, value, words) => {
  await using folder = await openFolder();
  const env = { ASPNETCORE_URLS: "http://127.0.0.1:0", [`Signing__SelfSigned__${key}`]: value };
  const { code, stdout, stderr } = await runCli(["serve"], { folder: folder.path, env });
  expect(`${stdout}${stderr}`).toMatch(words);
  expect(code).toBe(78);
});

/** The certificates that several processes end up with. */
async function openAtOnce(root: string, now: string): Promise<ReadonlySet<string>> {
  const children = Array.from({ length: INSTANCES }, () =>
    spawn(process.execPath, [SCRIPT, root, now], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const outputs = children.map((child) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    return () => text;
  });
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const ended = children.map((child) => once(child, "close"));
  for (const child of children) child.stdin.write("go\n");
  await Promise.all(ended);
  return new Set(outputs.map((text) => text().replace("ready\n", "").trim()));
}

/** Pushes a package, and gives the certificate that clients have to trust for it. */
async function pushed(host: TestHost, id: string): Promise<{ der: Buffer; leaf: X509Certificate }> {
  expect((await push(host, id)).status).toBe(201);
  const { signer } = await verified(host, id.toLowerCase());
  const path = `/v3/certificates/${signer?.fingerprint}.crt`;
  const der = Buffer.from(await (await host.fetch(path)).arrayBuffer());
  expect(await verified(host, id.toLowerCase(), der)).toMatchObject({ valid: true });
  return { der, leaf: new X509Certificate(der) };
}

/** As the feed writes it. */
function plain(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}
