import type { Der } from "../der/reader.ts";
import { childrenOf, readDer, TAG } from "../der/reader.ts";
import { encode } from "../der/writer.ts";

const CONSTRUCTED = 0x20;
const PIECE_OCTETS = 100;

/** Deviations of a BER writer from DER. */
export type BerForm = {
  /** Writes constructed values with an indefinite length. */
  readonly isIndefinite?: boolean;
  /** Writes octet strings of more than 8 octets in pieces, where the predicate allows it. */
  readonly inPieces?: (path: readonly number[]) => boolean;
};

/** The same document in the form of a BER writer. Contents of octet strings stay unchanged. */
export function berForm(document: Uint8Array, form: BerForm): Uint8Array {
  return written(readDer(document), form, []);
}

function written(der: Der, form: BerForm, path: readonly number[]): Uint8Array {
  const isOctets = der.tag === TAG.octetString || (der.tag === 0x80 && path.length > 1);
  if (isOctets && der.body.length > 8 && form.inPieces?.(path)) {
    return constructed(der.tag | CONSTRUCTED, pieces(der.body), form);
  }
  if ((der.tag & CONSTRUCTED) === 0) return der.raw;
  const children = childrenOf(der).map((child, index) => written(child, form, [...path, index]));
  return constructed(der.tag, children, form);
}

function constructed(tag: number, children: readonly Uint8Array[], form: BerForm): Uint8Array {
  if (!form.isIndefinite) return encode(tag, ...children);
  return Buffer.concat([Uint8Array.of(tag, 0x80), ...children, Uint8Array.of(0, 0)]);
}

function pieces(octets: Uint8Array): Uint8Array[] {
  const size = Math.max(4, Math.min(PIECE_OCTETS, Math.floor(octets.length / 2)));
  return Array.from({ length: Math.ceil(octets.length / size) }, (_unused, index) =>
    encode(TAG.octetString, octets.subarray(index * size, (index + 1) * size)),
  );
}
