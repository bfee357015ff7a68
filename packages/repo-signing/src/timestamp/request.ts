import { HASH_OID, digest } from "../hash.ts";
import type { HashName } from "../hash.ts";
import { algorithm, boolean, derNull, integer, octetString, sequence } from "../der/writer.ts";

/**
 * TimeStampReq ::= SEQUENCE { version v1, messageImprint SEQUENCE { hashAlgorithm, hashedMessage },
 *   reqPolicy OPTIONAL, nonce INTEGER, certReq BOOLEAN } (RFC 3161 2.4.1)
 */
export function timestampRequest(what: {
  readonly signature: Uint8Array;
  /** Big-endian. */
  readonly nonce: Uint8Array;
  readonly hash: HashName;
}): Uint8Array {
  const { signature, nonce, hash } = what;
  const imprint = sequence(
    algorithm(HASH_OID[hash], derNull),
    octetString(digest(hash, signature)),
  );
  return sequence(integer(1), imprint, integer(nonce), boolean(true));
}
