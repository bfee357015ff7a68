import { execFile, execFileSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** True when `openssl` is installed; otherwise prints a prominent line. */
export function hasOpenSsl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    process.stderr.write("\nSKIPPED: openssl is not on the PATH; its suite does not run\n\n");
    return false;
  }
}

export type StampAuthority = {
  /** Digest of the token's signature; no client accepts SHA-1. */
  readonly digest?: "sha1" | "sha256" | "sha384" | "sha512";
  /** Version of the signing-certificate attribute: `sha1` writes version 1. */
  readonly bindingDigest?: "sha1" | "sha256" | "sha512";
  readonly keyBits?: 1024 | 2048;
  /** Digest of the signature on the authority's certificate. */
  readonly certificateDigest?: "sha1" | "sha256";
  /** Days from now in which the authority's certificate is valid. */
  readonly valid?: { readonly from: number; readonly to: number };
  /** `secs:1`, as OpenSSL has it; none = the token says nothing. */
  readonly accuracy?: string;
  readonly policy?: string;
};

/** Answers an RFC 3161 request, as `openssl ts -reply` does it. */
export type OpenSslStamps = {
  /** A `fetch` that hands every request to OpenSSL, one at a time. */
  readonly fetch: typeof fetch;
  /** PEM. */
  readonly root: string;
};

/** A timestamping authority with its own root, created and run by the real OpenSSL in `folder`. */
export async function openSslStamps(
  folder: string,
  authority: StampAuthority = {},
): Promise<OpenSslStamps> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tsa.cnf"), configuration(folder, authority));
  await writeFile(join(folder, "serial"), "01\n");
  await makeCertificates(folder, authority);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (request: Uint8Array): Promise<Buffer> => {
    const mine = last.then(() => reply(folder, request));
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    root: await readFile(join(folder, "ca.pem"), "utf8"),
    fetch: async (_input, init) => {
      const request = new Uint8Array(await new Response(init?.body).arrayBuffer());
      const headers = { "content-type": "application/timestamp-reply" };
      return new Response(Uint8Array.from(await inTurn(request)), { headers });
    },
  };
}

async function reply(folder: string, request: Uint8Array): Promise<Buffer> {
  const [query, answer] = [join(folder, "request.tsq"), join(folder, "reply.tsr")];
  await rm(answer, { force: true });
  await writeFile(query, request);
  const files = ["-queryfile", query, "-out", answer];
  await run("openssl", ["ts", "-reply", "-config", join(folder, "tsa.cnf"), ...files]);
  return readFile(answer);
}

async function makeCertificates(
  folder: string,
  { keyBits = 2048, certificateDigest = "sha256", valid = { from: -1, to: 365 } }: StampAuthority,
): Promise<void> {
  const openssl = (line: string) => run("openssl", line.split(" "), { cwd: folder });
  await openssl(
    "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 3650 -sha256 " +
      "-subj /O=Sealhouse-Test/CN=Stamp-Root -config tsa.cnf -extensions root",
  );
  await openssl(
    `req -new -newkey rsa:${keyBits} -nodes -keyout tsa.key -out tsa.csr ` +
      "-subj /O=Sealhouse-Test/CN=Stamps -config tsa.cnf",
  );
  await writeFile(join(folder, "index.txt"), "");
  await openssl(
    `ca -batch -config tsa.cnf -name issuer -in tsa.csr -out tsa.pem -md ${certificateDigest} ` +
      `-startdate ${asnTime(valid.from)} -enddate ${asnTime(valid.to)} -extensions stamps -notext`,
  );
}

function asnTime(days: number): string {
  const time = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
  return time.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
}

function configuration(folder: string, authority: StampAuthority): string {
  const { digest = "sha256", bindingDigest = "sha256", accuracy, policy = "1.2.3.4.1" } = authority;
  return `
[req]
distinguished_name = name
prompt = no
[name]
CN = ignored
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[stamps]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
[issuer]
certificate = ${folder}/ca.pem
private_key = ${folder}/ca.key
database = ${folder}/index.txt
new_certs_dir = ${folder}
rand_serial = yes
policy = anybody
[anybody]
organizationName = optional
commonName = supplied
[tsa]
default_tsa = stamp
[stamp]
serial = ${folder}/serial
signer_cert = ${folder}/tsa.pem
certs = ${folder}/ca.pem
signer_key = ${folder}/tsa.key
signer_digest = ${digest}
default_policy = ${policy}
digests = sha256,sha384,sha512
${accuracy === undefined ? "" : `accuracy = ${accuracy}`}
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = ${bindingDigest}
`;
}
