import { OID } from "../der/oid.ts";
import { algorithm, context, derNull, integer, sequence } from "../der/writer.ts";
import type { HashName } from "../hash.ts";
import { HASH_BYTES, HASH_OID } from "../hash.ts";

/**
 * RSASSA-PSS-params ::= SEQUENCE { [0] hashAlgorithm, [1] maskGenAlgorithm mgf1 with the same hash,
 * [2] saltLength, here as long as the hash } (RFC 4055 3.1)
 */
export function pssAlgorithm(hash: HashName): Uint8Array {
  const hashAlgorithm = algorithm(HASH_OID[hash], derNull);
  const parameters = sequence(
    context(0, hashAlgorithm),
    context(1, algorithm(OID.mgf1, hashAlgorithm)),
    context(2, integer(HASH_BYTES[hash])),
  );
  return algorithm(OID.rsassaPss, parameters);
}
