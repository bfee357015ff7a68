import { X509Certificate } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { run } from "./clients/client.ts";
import { push, verified } from "./pushed-package.ts";

const AUTHORITY =
  'openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/O=Acme/CN=Acme Root" ' +
  "-keyout ca.key -out ca.pem\n";

export type CloudCommand = {
  /** `aws`, `gcloud`. */
  readonly name: string;
  /** The shell script of the stand-in, as far as it prints a public key. */
  readonly script: string;
};

/**
 * Runs the lines of a page that create the certificate, in `folder`, with a test authority and a
 * stand-in for the cloud's command line.
 */
export async function makeDocumentedCertificate(
  folder: string,
  command: CloudCommand,
  lines: readonly string[],
): Promise<void> {
  expect(lines).not.toEqual([]);
  const path = join(folder, command.name);
  await writeFile(path, command.script);
  await chmod(path, 0o755);
  const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
  const script = AUTHORITY + lines.join("");
  const { code, output } = await run("sh", ["-ec", script], { cwd: folder, env: { PATH } });
  if (code !== 0) throw new Error(output);
}

/** The host has the certificate of the page, and signs with it what verifies. */
export async function expectDocumentedSignature(host: TestHost, folder: string): Promise<void> {
  expect(host.output()).toContain("CN=Packages of Acme");
  expect((await push(host, "Acme.Documented")).status).toBe(201);
  const root = new X509Certificate(await readFile(join(folder, "ca.pem")));
  expect(await verified(host, "acme.documented", root.raw)).toMatchObject({
    valid: true,
    signatureType: "Repository",
    signer: { subject: expect.stringContaining("CN=Packages of Acme") as unknown },
  });
}
