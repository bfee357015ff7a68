import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { Signer } from "../ports.ts";
import { certificateProblems } from "./certificate-rules.ts";
import { usableCertificate } from "./usable-certificate.ts";

// Certificates made by openssl, so that what is read here was not written here.

const folder = mkdtempSync(join(tmpdir(), "sealhouse-rules-"));
afterAll(() => rmSync(folder, { recursive: true }));

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const openssl = (line: string) =>
  execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "pipe" });

openssl("req -x509 -newkey rsa:2048 -nodes -subj /CN=CA -keyout ca.key -out ca.pem");

type CertificateOptions = {
  readonly key?: string;
  /** Options of the authority's signature. */
  readonly signedWith?: string;
  readonly extensions?: readonly string[];
  readonly days?: number;
};

function certificate({
  key = "rsa:2048",
  signedWith = "-sha256",
  ...options
}: CertificateOptions): Uint8Array {
  const { extensions = ["extendedKeyUsage=codeSigning"], days = 30 } = options;
  const profile = ["basicConstraints=critical,CA:FALSE", "subjectKeyIdentifier=hash"];
  writeFileSync(join(folder, "ext"), [...profile, ...extensions].join("\n"));
  openssl(`req -new -newkey ${key} -nodes -subj /CN=Leaf -keyout leaf.key -out leaf.csr`);
  openssl(
    "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile ext -out leaf.pem " +
      `-days ${days} ${signedWith}`,
  );
  return new X509Certificate(readFileSync(join(folder, "leaf.pem"))).raw;
}

const signerOf = (der: Uint8Array): Signer => ({
  chain: [der],
  hash: "SHA256",
  sign: () => Promise.reject(new Error("nothing signs here")),
});

const USAGE = "extendedKeyUsage=";
const PSS = "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:-1";

test.each<[string, CertificateOptions, readonly string[]]>([
  ["signed with SHA-384", { signedWith: "-sha384" }, []],
  ["signed with SHA-512", { signedWith: "-sha512" }, []],
  ["without extended key usage", { extensions: [] }, []],
  ["for any usage", { extensions: [`${USAGE}anyExtendedKeyUsage`] }, []],
  ["for several usages", { extensions: [`${USAGE}clientAuth,codeSigning`] }, []],
  ["with a key usage", { extensions: ["keyUsage=critical,digitalSignature"] }, []],
  ["signed with SHA-1", { signedWith: "-sha1" }, ["NU3013"]],
  ["signed with RSASSA-PSS", { signedWith: PSS }, ["NU3013"]],
  ["RSA with 1024 bits", { key: "rsa:1024" }, ["NU3014"]],
  ["a key of a curve", { key: "ec -pkeyopt ec_paramgen_curve:P-256" }, ["NU3014"]],
  ["an RSASSA-PSS key", { key: "rsa-pss -pkeyopt rsa_keygen_bits:2048" }, ["NU3014"]],
  ["for ever", { extensions: [`${USAGE}codeSigning,1.3.6.1.4.1.311.10.3.13`] }, ["NU3015"]],
  ["for servers only", { extensions: [`${USAGE}serverAuth`] }, ["NU3012"]],
])("a certificate %s", (_name, options, codes) => {
  const der = certificate(options);
  const now = new Date();
  expect(certificateProblems(der, now).map(({ code }) => code)).toEqual(codes);
  const use = () => usableCertificate(signerOf(der), now);
  if (codes.length === 0) expect(use().subject).toBe("CN=Leaf");
  else expect(use).toThrow(new RegExp(`No client accepts .*CN=Leaf: .*\\(${codes[0]}\\)`));
});

test("a certificate counts from its first second to five minutes before its last", () => {
  const der = certificate({ days: 10 });
  const { validFromDate, validToDate } = new X509Certificate(der);
  const signer = signerOf(der);
  const checkAt = (from: Date, aheadMs: number) =>
    usableCertificate(signer, new Date(from.getTime() + aheadMs));
  expect(() => checkAt(validFromDate, -1)).toThrow(/not valid before .*\(NU3017\)/);
  expect(checkAt(validFromDate, 0).subject).toBe("CN=Leaf");
  expect(checkAt(validToDate, -5 * MINUTE_MS - 1).subject).toBe("CN=Leaf");
  for (const aheadMs of [-5 * MINUTE_MS, 0, DAY_MS]) {
    expect(() => checkAt(validToDate, aheadMs)).toThrow(/CN=Leaf ends on .* Install a new one\./);
  }
  expect(certificateProblems(der, validToDate).map(({ code }) => code)).toEqual(["NU3037"]);
});
