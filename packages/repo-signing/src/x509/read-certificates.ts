import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DerError } from "../der/reader.ts";
import { SigningError } from "../errors.ts";
import { parseCertificate } from "./certificate.ts";
import type { Certificate } from "./certificate.ts";

const BYTES_MAX = 1024 * 1024;
const CERTIFICATES_MAX = 20;

/**
 * Reads certificates from PEM text (other text is ignored) or from one DER certificate. Order: the
 * end certificate first, then its issuers.
 *
 * @throws SigningError `certificate-file` when there is no certificate, or one cannot be read
 */
export function readCertificates(content: Uint8Array | string): readonly Uint8Array[] {
  const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g);
  const fromPem = [...blocks].map(([, base64 = ""]) => Buffer.from(base64, "base64"));
  const ders = fromPem.length === 0 && typeof content !== "string" ? [content] : fromPem;
  if (ders.length === 0) throw unreadable("it holds no certificate");
  if (ders.length > CERTIFICATES_MAX) {
    throw unreadable(`it holds more than ${CERTIFICATES_MAX} certificates`);
  }
  return inOrder(ders.map(parsed)).map(({ der }) => der);
}

/**
 * The same from a file.
 *
 * @throws SigningError `certificate-file`, with the words "certificate not found" and the place
 *   that was looked at when there is no such file
 */
export async function readCertificateFile(path: string): Promise<readonly Uint8Array[]> {
  const place = resolve(path);
  try {
    if ((await stat(place)).size > BYTES_MAX) throw unreadable(`${place} is larger than 1 MiB`);
    return readCertificates(await readFile(place));
  } catch (cause) {
    if (cause instanceof SigningError) throw cause;
    const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new SigningError(
      "certificate-file",
      `Certificate not found: ${place} cannot be read${why}.`,
      { cause },
    );
  }
}

function parsed(der: Uint8Array): Certificate {
  try {
    return parseCertificate(der);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw unreadable(cause.message, cause);
  }
}

function inOrder(certificates: readonly Certificate[]): readonly Certificate[] {
  const isIssuer = (certificate: Certificate) =>
    certificates.some((other) => other !== certificate && other.x509.checkIssued(certificate.x509));
  const leaf = certificates.find((certificate) => !isIssuer(certificate)) ?? certificates[0];
  if (!leaf) return [];
  const ordered = issuersInOrder(leaf, certificates);
  return [...ordered, ...certificates.filter((certificate) => !ordered.includes(certificate))];
}

/** `leaf`, then the one of `certificates` that issued it, and so on up. */
export function issuersInOrder(
  leaf: Certificate,
  certificates: readonly Certificate[],
): readonly Certificate[] {
  const ordered: Certificate[] = [];
  for (let next: Certificate | undefined = leaf; next && !ordered.includes(next);) {
    const last: Certificate = next;
    ordered.push(last);
    next = certificates.find(
      (certificate) => certificate !== last && last.x509.checkIssued(certificate.x509),
    );
  }
  return ordered;
}

function unreadable(why: string, cause?: unknown): SigningError {
  return new SigningError("certificate-file", `The certificate cannot be read: ${why}.`, { cause });
}
