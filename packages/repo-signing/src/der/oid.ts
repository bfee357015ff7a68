/** The object identifiers of signatures, certificates and timestamps. */
export const OID = {
  data: "1.2.840.113549.1.7.1",
  signedData: "1.2.840.113549.1.7.2",
  tstInfo: "1.2.840.113549.1.9.16.1.4",

  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  countersignature: "1.2.840.113549.1.9.6",
  signingCertificate: "1.2.840.113549.1.9.16.2.12",
  timestampToken: "1.2.840.113549.1.9.16.2.14",
  commitmentType: "1.2.840.113549.1.9.16.2.16",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
  proofOfOrigin: "1.2.840.113549.1.9.16.6.1",
  proofOfReceipt: "1.2.840.113549.1.9.16.6.2",
  serviceIndexUrl: "1.3.6.1.4.1.311.84.2.1.1.1",
  packageOwners: "1.3.6.1.4.1.311.84.2.1.1.2",
  /** ETSI EN 319 421: accuracy of one second unless the token says otherwise. */
  baselineTimestampPolicy: "0.4.0.2023.1.1",

  sha1: "1.3.14.3.2.26",
  sha256: "2.16.840.1.101.3.4.2.1",
  sha384: "2.16.840.1.101.3.4.2.2",
  sha512: "2.16.840.1.101.3.4.2.3",
  rsaEncryption: "1.2.840.113549.1.1.1",
  sha1WithRsa: "1.2.840.113549.1.1.5",
  rsassaPss: "1.2.840.113549.1.1.10",
  sha256WithRsa: "1.2.840.113549.1.1.11",
  sha384WithRsa: "1.2.840.113549.1.1.12",
  sha512WithRsa: "1.2.840.113549.1.1.13",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  mgf1: "1.2.840.113549.1.1.8",

  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  anyExtendedKeyUsage: "2.5.29.37.0",
  codeSigning: "1.3.6.1.5.5.7.3.3",
  timeStamping: "1.3.6.1.5.5.7.3.8",
  lifetimeSigning: "1.3.6.1.4.1.311.10.3.13",
} as const;

/** Known identifiers have at most 20 octets; each octet costs a stranger nothing and us an arc. */
const OID_OCTETS_MAX = 128;

/** Dotted form of the contents of an OBJECT IDENTIFIER; empty when they are malformed or longer
 * than 128 octets. */
export function formatOid(body: Uint8Array): string {
  if (body.length > OID_OCTETS_MAX) return "";
  const arcs: number[] = [];
  let arc = 0;
  for (const [index, byte] of body.entries()) {
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) return "";
    if ((byte & 0x80) !== 0) {
      if (index === body.length - 1) return "";
      continue;
    }
    if (arcs.length === 0) {
      const first = Math.min(2, Math.floor(arc / 40));
      arcs.push(first, arc - first * 40);
    } else arcs.push(arc);
    arc = 0;
  }
  return arcs.join(".");
}

/** The contents of an OBJECT IDENTIFIER from its dotted form. */
export function encodeOid(dotted: string): Uint8Array {
  return ENCODED.get(dotted) ?? encodeArcs(dotted);
}

function encodeArcs(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return Uint8Array.from([first * 40 + second, ...rest].flatMap(base128));
}

function base128(arc: number): number[] {
  const octets = [arc % 128];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
    octets.unshift((left % 128) + 128);
  }
  return octets;
}

/** Identifiers of the table: every signature has a dozen of them. */
const ENCODED: ReadonlyMap<string, Uint8Array> = new Map(
  Object.values(OID).map((dotted) => [dotted, encodeArcs(dotted)]),
);
