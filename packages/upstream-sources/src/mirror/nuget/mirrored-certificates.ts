import { createHash, X509Certificate } from "node:crypto";
import type { CertificateList, ListedCertificate } from "@sealhouse/nuget-protocol";
import type { SignatureReads } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { DocumentAsk } from "../documents/document-ask.ts";
import { isSourceFailure } from "../documents/document-reader.ts";
import type { Mirror } from "../mirror.ts";
import type { ClientOf } from "./documents/source-clients.ts";

type Parts = {
  readonly mirror: Pick<Mirror, "documents" | "upstreams">;
  readonly clientOf: ClientOf;
};

/** A certificate as JSON. */
type Saved = { readonly subject: string; readonly issuer: string; readonly der: string };

/**
 * Adds the certificates of sources whose signatures stay. Clients read this list before the first
 * package of a source is stored. A source that fails and has no kept list is left out.
 */
export function mirroredCertificates(list: CertificateList, parts: Parts): CertificateList {
  const ofSources = async (): Promise<readonly ListedCertificate[]> => {
    const sources = await parts.mirror.upstreams("nuget");
    const keeping = sources.filter(({ signaturePolicy }) => signaturePolicy !== "Resign");
    return (await Promise.all(keeping.map((source) => certificatesOf(parts, source)))).flat();
  };
  return {
    async all() {
      const own = await list.all();
      const others = await ofSources();
      return [...new Map([...others, ...own].map((one) => [one.fingerprint, one])).values()];
    },
    async find(fingerprint) {
      const own = await list.find(fingerprint);
      return own ?? (await ofSources()).find((other) => other.fingerprint === fingerprint);
    },
    allRepositorySigned: () => list.allRepositorySigned(),
  };
}

async function certificatesOf(
  { mirror, clientOf }: Parts,
  source: PackageSource,
): Promise<readonly ListedCertificate[]> {
  const ask: DocumentAsk = {
    source,
    kind: "certificates",
    name: "",
    part: "",
    async fetch(_validators, signal) {
      const saved = await readCertificates(clientOf(source), signal);
      return { status: "found", bytes: Buffer.from(JSON.stringify(saved)) };
    },
  };
  try {
    const answer = await mirror.documents.read(ask);
    if (answer.status === "absent") return [];
    return (JSON.parse(Buffer.from(await answer.bytes()).toString()) as readonly Saved[]).map(
      listed,
    );
  } catch (error) {
    if (isSourceFailure(error)) return [];
    throw error;
  }
}

async function readCertificates(
  client: SignatureReads,
  signal: AbortSignal,
): Promise<readonly Saved[]> {
  const signatures = await client.signatures({ signal });
  const saved = await Promise.all(
    (signatures?.certificates ?? []).map(async (certificate): Promise<readonly Saved[]> => {
      const der = await client.certificate(certificate, { signal });
      if (!der || !isCertificate(der)) return [];
      const { subject, issuer } = certificate;
      return [{ subject, issuer, der: Buffer.from(der).toString("base64") }];
    }),
  );
  return saved.flat();
}

function isCertificate(der: Uint8Array): boolean {
  try {
    return new X509Certificate(der).raw.equals(der);
  } catch {
    return false;
  }
}

function listed({ subject, issuer, der: base64 }: Saved): ListedCertificate {
  const der = Buffer.from(base64, "base64");
  const { validFromDate: notBefore, validToDate: notAfter } = new X509Certificate(der);
  const fingerprint = createHash("sha256").update(der).digest("hex");
  return { fingerprint, subject, issuer, notBefore, notAfter, der };
}
