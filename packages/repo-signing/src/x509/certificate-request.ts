import { createPublicKey, verify } from "node:crypto";
import { OID } from "../der/oid.ts";
import { TAG } from "../der/reader.ts";
import { bitString, context, encode, integer, oid, sequence } from "../der/writer.ts";
import { SigningError } from "../errors.ts";
import { PADDING } from "../key-signer.ts";
import type { RemoteKey } from "../remote-key.ts";
import { encodeName, parseName } from "./distinguished-name.ts";
import { extension } from "./issue-certificate.ts";
import { pkcs1Algorithm, pssAlgorithm } from "./signature-algorithm.ts";

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

/**
 * A request for a certificate (PKCS#10), signed by a key that may live elsewhere. It asks for what
 * repository signatures need: no authority, digital signatures, code signing.
 *
 * CertificationRequest ::= SEQUENCE { CertificationRequestInfo, signatureAlgorithm, signature }
 * CertificationRequestInfo ::= SEQUENCE { version v1(0), subject Name, subjectPKInfo,
 *   attributes [0] IMPLICIT SET OF Attribute } (RFC 2986 4)
 *
 * @returns DER
 * @throws RangeError when `subject` is no name
 * @throws SigningError `signer` when the key does not sign what it was given
 */
export async function createCertificateRequest(
  key: RemoteKey,
  /** Most specific part first: `CN=Example, O=Acme, C=DE`. */
  subject: string,
): Promise<Uint8Array> {
  const { hash, scheme = "pkcs1" } = key;
  const extensions = sequence(
    extension(OID.basicConstraints, sequence(), true),
    extension(OID.keyUsage, bitString(Uint8Array.of(0x80), 7), true),
    extension(OID.extendedKeyUsage, sequence(oid(OID.codeSigning)), false),
  );
  const info = sequence(
    integer(0),
    encodeName(parseName(subject)),
    key.publicKey,
    context(0, sequence(oid(EXTENSION_REQUEST), encode(TAG.set, extensions))),
  );
  const algorithm = scheme === "pss" ? pssAlgorithm(hash) : pkcs1Algorithm(hash);
  return sequence(info, algorithm, bitString(await checkedSignature(key, info)));
}

/** @throws SigningError `signer` when the key's signature does not fit its public half */
export async function checkedSignature(key: RemoteKey, data: Uint8Array): Promise<Uint8Array> {
  const { hash, scheme = "pkcs1" } = key;
  const signature = await key.sign(data);
  const spki = { key: Buffer.from(key.publicKey), format: "der", type: "spki" } as const;
  const publicKey = createPublicKey(spki);
  if (verify(hash.toLowerCase(), data, { key: publicKey, ...PADDING[scheme] }, signature)) {
    return signature;
  }
  throw new SigningError("signer", "The key gave a signature that is not its own.");
}
