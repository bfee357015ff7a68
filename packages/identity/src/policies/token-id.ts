import { createHash } from "node:crypto";
import type { Protocol } from "@sealhouse/request-types";

/**
 * Returns one id per ID token, protocol and name, so that at most one token exists for them. UUID
 * version 8, RFC 9562.
 */
export function tokenIdOf(protocol: Protocol, subject: string, fingerprint: string): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify([protocol, subject, fingerprint]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  const starts = [0, 8, 12, 16, 20];
  return starts.map((start, index) => hex.slice(start, starts[index + 1])).join("-");
}
