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
  TAG,
} from "../der/reader.ts";
import { sortedSet } from "../der/writer.ts";
import type { HashName } from "../hash.ts";
import { digest, hashOf, sameBytes } from "../hash.ts";
import type { Certificate } from "../x509/certificate.ts";
import { publicKeyOf } from "../x509/certificate.ts";
import type { SignerInfo } from "./signed-data.ts";
import { attributesOf } from "./signed-data.ts";

/** The length of the longest digest; longer values do not occur. */
const SALT_BYTES_MAX = 64;

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
  const key = publicKeyOf(certificate);
  if (!hash || !key) return false;
  try {
    if (!signer.signedBytes) return verifies(signer, hash, content, key);
    const [stated, ...others] = attributesOf(signer.signedAttributes, OID.messageDigest).flatMap(
      (attribute) => attribute.values,
    );
    if (others.length > 0) return false;
    if (!sameBytes(octetsOf(stated, "message digest"), digest(hash, content))) return false;
    // The signature covers the set in DER order; some signers write and sign another one.
    const inOrder = sortedSet(
      TAG.set,
      signer.signedAttributes.map((attribute) => attribute.raw),
    );
    return (
      verifies(signer, hash, inOrder, key) ||
      (!sameBytes(inOrder, signer.signedBytes) && verifies(signer, hash, signer.signedBytes, key))
    );
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
  const { oid, parameters } = signer.algorithm;
  if (key.asymmetricKeyType === "rsa") {
    input.padding = constants.RSA_PKCS1_PADDING;
    if (oid === OID.rsassaPss) {
      const { saltLength, hash: stated } = pssParametersOf(parameters);
      if (stated !== hash || saltLength > SALT_BYTES_MAX) return false;
      input.padding = constants.RSA_PKCS1_PSS_PADDING;
      input.saltLength = saltLength;
    } else if (!isPkcs1(oid, hash) || !isAbsentOrNull(parameters)) return false;
  } else if (key.asymmetricKeyType !== "ec") return false;
  return verify(hash.toLowerCase(), data, input, signer.signature);
}

const PKCS1_HASH: ReadonlyMap<string, HashName | "SHA1"> = new Map([
  [OID.sha1WithRsa, "SHA1"],
  [OID.sha256WithRsa, "SHA256"],
  [OID.sha384WithRsa, "SHA384"],
  [OID.sha512WithRsa, "SHA512"],
]);

/** Either the plain name of the key, or the one that names the digest, too. */
function isPkcs1(oid: string, hash: HashName | "SHA1"): boolean {
  return oid === OID.rsaEncryption || PKCS1_HASH.get(oid) === hash;
}

/** RFC 4055 1.2: of RSA with PKCS#1 v1.5. */
function isAbsentOrNull(parameters: Der | undefined): boolean {
  return !parameters || (parameters.tag === TAG.null && parameters.body.length === 0);
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
