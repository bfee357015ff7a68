import { createPublicKey, verify } from "node:crypto";
import { OID } from "../der/oid.ts";
import { SigningError } from "../errors.ts";
import { PADDING } from "./key-signer.ts";
import type { RemoteKey } from "./remote-key.ts";
import { openCertificateLibrary, usagesOf } from "../x509/certificate-library.ts";
import { encodeName, parseName } from "../x509/distinguished-name.ts";

/**
 * Creates a certificate request (PKCS#10, RFC 2986), signed by a key that may be in another
 * service. It requests the properties for repository signatures: no authority, digital signatures,
 * code signing.
 *
 * @returns DER
 * @throws RangeError when `subject` is not a valid name
 * @throws SigningError `signer` when the signature of the key is wrong
 */
export async function createCertificateRequest(
  key: RemoteKey,
  /** Most specific part first: `CN=Example, O=Acme, C=DE`. */
  subject: string,
): Promise<Uint8Array> {
  const { publicKey, hash, scheme = "pkcs1" } = key;
  const name = encodeName(parseName(subject));
  const sign = (data: Uint8Array) => checkedSignature(key, data);
  const library = await openCertificateLibrary({ publicKey, hash, scheme, sign });
  const { x509, crypto, keys, signingAlgorithm } = library;
  const made = await x509.Pkcs10CertificateRequestGenerator.create(
    {
      name: new x509.Name(Uint8Array.from(name)),
      keys,
      signingAlgorithm,
      extensions: usagesOf(x509, { type: "end-entity", usage: OID.codeSigning, critical: false }),
    },
    crypto,
  );
  return Buffer.from(made.rawData);
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
