import { createPublicKey } from "node:crypto";
import { SigningError } from "../errors.ts";
import type { Signer } from "../ports.ts";
import type { RemoteKeyOptions } from "../keys/remote-key.ts";
import { createRemoteKey } from "../keys/remote-key.ts";
import { parseCertificate } from "../x509/certificate.ts";

/**
 * Signs with a key that never leaves its service: it gets only digests, and each signature is
 * verified with the certificate before use.
 *
 * @throws SigningError `certificate-unusable` when the certificate belongs to another key
 */
export function createRemoteSigner(
  options: RemoteKeyOptions & {
    /** DER, the signing certificate first. */
    readonly chain: readonly Uint8Array[];
  },
): Signer {
  const { chain, keyName } = options;
  const remote = createRemoteKey(options);
  const { hash, scheme = "pkcs1", publicKey } = remote;
  const [der] = chain;
  if (!der) throw new SigningError("certificate-unusable", `The ${keyName} has no certificate.`);
  const { x509, subject } = parseCertificate(der);
  const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
  if (key.equals(x509.publicKey)) return { chain, hash, scheme, sign: (data) => remote.sign(data) };
  throw new SigningError(
    "certificate-unusable",
    `The certificate ${subject} does not belong to the ${keyName}: their public keys differ.`,
  );
}
