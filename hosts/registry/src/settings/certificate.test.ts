import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "@sealhouse/http-server";
import { checkCertificate, readCertificate } from "./certificate.ts";
import type { CertificateFiles } from "./config.ts";
import { openSettings } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "sealhouse-tls-"));
const file = (name: string) => join(folder, name);
const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });

beforeAll(() => {
  const key = [
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    file("key.pem"),
    "-out",
    file("cert.pem"),
  ];
  openssl("req", "-x509", ...key, "-subj", "/CN=localhost", "-days", "2");
  const pair = ["-inkey", file("key.pem"), "-in", file("cert.pem")];
  openssl("pkcs12", "-export", ...pair, "-out", file("cert.pfx"), "-passout", "pass:hush");
  openssl(
    "rsa",
    "-in",
    file("key.pem"),
    "-aes128",
    "-passout",
    "pass:hush",
    "-out",
    file("enc.pem"),
  );
  writeFileSync(file("both.pem"), openssl("x509", "-in", file("cert.pem")));
  writeFileSync(file("both.pem"), openssl("pkey", "-in", file("key.pem")), { flag: "a" });
  writeFileSync(file("junk.pfx"), "junk");
});
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD: [string, () => CertificateFiles][] = [
  ["a PFX file", () => ({ path: file("cert.pfx"), password: "hush" })],
  ["two PEM files", () => ({ path: file("cert.pem"), keyPath: file("key.pem") })],
  ["one PEM file", () => ({ path: file("both.pem") })],
  [
    "an encrypted key",
    () => ({ path: file("cert.pem"), keyPath: file("enc.pem"), password: "hush" }),
  ],
];

test.each(GOOD)("https works with %s", async (_, files) => {
  const settings = openSettings(new Map());
  checkCertificate(settings, files());
  expect(settings.problems).toEqual([]);
  const server = await listen({
    addresses: [{ protocol: "https", hosts: ["127.0.0.1"], port: 0, text: "https://x" }],
    certificate: readCertificate(files()),
    idleTimeoutMs: 10_000,
    listener: (_incoming, outgoing) => outgoing.end("secure"),
  });
  const clientRequest = request(server.urls[0] ?? "", { rejectUnauthorized: false }).end();
  const [answer] = (await once(clientRequest, "response")) as [AsyncIterable<Buffer>];
  expect(Buffer.concat(await Array.fromAsync(answer)).toString()).toBe("secure");
  await server.stop(1_000);
});

test.each<[string, () => CertificateFiles, RegExp]>([
  ["a wrong password", () => ({ path: file("cert.pfx"), password: "no" }), /password does not fit/],
  ["no key", () => ({ path: file("cert.pem") }), /cannot be used/],
  ["a missing file", () => ({ path: file("none.pfx") }), /ENOENT/],
  ["a file of something else", () => ({ path: file("junk.pfx") }), /cannot be used/],
])("%s stops the start with its key", (_, files, words) => {
  const settings = openSettings(new Map());
  checkCertificate(settings, files());
  expect(settings.problems).toEqual([
    expect.stringMatching(/^Kestrel__Certificates__Default__Path: the certificate cannot be used/),
  ]);
  expect(settings.problems[0]).toMatch(words);
});
