import { createHash } from "node:crypto";

/** Bytes of the secrets in cookies. */
const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** Creates a random secret, as base64url. */
export function makeSecret(random: (size: number) => Uint8Array): string {
  return Buffer.from(random(SECRET_BYTES)).toString("base64url");
}

/** Whether a text has the form of a secret of a session. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Lower-case hex SHA-256. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
