import { join } from "node:path";
import { run } from "./client.ts";

/** A private authority and a server certificate for these names (localhost), made with openssl. */
export async function makeServerCertificate(
  folder: string,
  names = "DNS:localhost,IP:127.0.0.1",
): Promise<{ readonly authority: string; readonly certificate: string; readonly key: string }> {
  const file = (name: string): string => join(folder, name);
  const [ca, caKey, request] = [file("ca.pem"), file("ca.key"), file("server.csr")];
  const [certificate, key] = [file("server.pem"), file("server.key")];
  await openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "30",
    "-keyout",
    caKey,
    "-out",
    ca,
    "-subj",
    "/CN=Test authority",
  );
  await openssl(
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    key,
    "-out",
    request,
    "-subj",
    "/CN=localhost",
    "-addext",
    `subjectAltName=${names}`,
  );
  await openssl(
    "x509",
    "-req",
    "-in",
    request,
    "-CA",
    ca,
    "-CAkey",
    caKey,
    "-CAcreateserial",
    "-days",
    "30",
    "-copy_extensions",
    "copy",
    "-out",
    certificate,
  );
  return { authority: ca, certificate, key };
}

async function openssl(...args: readonly string[]): Promise<void> {
  const { code, output } = await run("openssl", args);
  if (code !== 0) throw new Error(`openssl ${args[0]} failed:\n${output}`);
}
