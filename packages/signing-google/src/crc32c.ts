const CASTAGNOLI_REVERSED = 0x82f63b78;
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ CASTAGNOLI_REVERSED : value >>> 1;
  }
  return value;
});

/** The checksum that Cloud KMS sends with everything it answers (RFC 3720, B.4). */
export function crc32c(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
