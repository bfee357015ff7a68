import type { KeyObject, VerifyKeyObjectInput } from "node:crypto";
import { constants, verify } from "node:crypto";
import { OID } from "../der/oid.ts";
import type { Der } from "../der/reader.ts";
import {
  childrenOf,
  DerError,
  octetsOf,
  oidOf,
  sequenceOf,
  smallIntegerOf,
} from "../der/reader.ts";
import type { HashName } from "../hash.ts";
import { digest, hashOf, sameBytes } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import type { SignerInfo } from "./signed-data.ts";
import { attributesOf } from "./signed-data.ts";

/**
 * Whether the signer's key made this signature over `content` (RFC 5652 5.4 and 5.6): the
 * message-digest attribute equals the digest of the content, and the signature covers the signed
 * attributes. For a countersignature `content` is the signature it countersigns.
 */
export function isSignatureOf(
  signer: SignerInfo,
  content: Uint8Array,
  certificate: Certificate,
): boolean {
  const hash = hashOf(signer.digestOid);
  if (!hash) return false;
  try {
    if (!signer.signedBytes) return verifies(signer, hash, content, certificate.x509.publicKey);
    const [stated, ...others] = attributesOf(signer.signedAttributes, OID.messageDigest).flatMap(
      (attribute) => attribute.values,
    );
    if (others.length > 0) return false;
    if (!sameBytes(octetsOf(stated, "message digest"), digest(hash, content))) return false;
    return verifies(signer, hash, signer.signedBytes, certificate.x509.publicKey);
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

function verifies(
  signer: SignerInfo,
  hash: HashName | "SHA1",
  data: Uint8Array,
  key: KeyObject,
): boolean {
  const input: VerifyKeyObjectInput = { key };
  if (key.asymmetricKeyType === "rsa") {
    input.padding = constants.RSA_PKCS1_PADDING;
    if (signer.algorithm.oid === OID.rsassaPss) {
      const { saltLength, hash: stated } = pssParametersOf(signer.algorithm.parameters);
      if (stated !== hash) return false;
      input.padding = constants.RSA_PKCS1_PSS_PADDING;
      input.saltLength = saltLength;
    }
  } else if (key.asymmetricKeyType !== "ec") return false;
  return verify(hash.toLowerCase(), data, input, signer.signature);
}

/**
 * RSASSA-PSS-params ::= SEQUENCE { [0] hashAlgorithm DEFAULT sha1, [1] maskGenAlgorithm,
 *   [2] saltLength DEFAULT 20, [3] trailerField } (RFC 4055 3.1)
 */
function pssParametersOf(parameters: Der | undefined): {
  readonly hash: HashName | "SHA1" | undefined;
  readonly saltLength: number;
} {
  const fields = sequenceOf(parameters, "PSS parameters");
  const algorithm = fields.find((field) => field.tag === 0xa0);
  const salt = fields.find((field) => field.tag === 0xa2);
  return {
    hash: algorithm
      ? hashOf(oidOf(sequenceOf(childrenOf(algorithm)[0], "PSS hash")[0], "PSS hash"))
      : "SHA1",
    saltLength: salt ? smallIntegerOf(childrenOf(salt)[0], "PSS salt length") : 20,
  };
}
