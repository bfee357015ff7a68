import { address, entries, field, flag, items, optionalTime, text } from "./json-node.ts";
import type { JsonNode } from "./json-node.ts";

export type FeedSignatures = {
  readonly allRepositorySigned: boolean;
  readonly certificates: readonly FeedCertificate[];
};

export type FeedCertificate = {
  /** By the object identifier of the hash, or its name. */
  readonly fingerprints: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: Date | undefined;
  readonly notAfter: Date | undefined;
  readonly contentUrl: URL;
};

const CERTIFICATES_MAX = 1_000;

export function parseSignatures(document: JsonNode): FeedSignatures {
  const certificates = items(field(document, "signingCertificates"), CERTIFICATES_MAX);
  return {
    allRepositorySigned: flag(field(document, "allRepositorySigned"), false),
    certificates: certificates.map((certificate) => ({
      fingerprints: new Map(
        entries(field(certificate, "fingerprints")).map(([name, value]) => [name, text(value)]),
      ),
      subject: text(field(certificate, "subject")),
      issuer: text(field(certificate, "issuer")),
      notBefore: optionalTime(field(certificate, "notBefore")),
      notAfter: optionalTime(field(certificate, "notAfter")),
      contentUrl: address(field(certificate, "contentUrl")),
    })),
  };
}
