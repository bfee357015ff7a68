import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** Returns the key of a secret: the bytes after `whsec_`, or the text itself. */
export function signingKeyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret, "utf8");
}

/** A new secret as text, from 32 random bytes. */
export function secretText(bytes: Uint8Array): string {
  return `${PREFIX}${Buffer.from(bytes).toString("base64")}`;
}

/** A message to sign, and the secrets that sign it, newest first. */
export type SignedMessage = {
  readonly id: string;
  /** Time of the attempt. */
  readonly time: Date;
  readonly type: string;
  readonly body: string;
  readonly secrets: readonly string[];
};

/**
 * Returns the headers of a message: those of the registry, of Standard Webhooks and of hosts for
 * .NET. The first two sign `id.timestamp.body`, the last signs the body alone. Without a secret,
 * there are no signatures.
 */
export function messageHeaders(message: SignedMessage): Readonly<Record<string, string>> {
  const { id, time, type, body, secrets } = message;
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signed = secrets.map((secret) =>
    createHmac("sha256", signingKeyOf(secret)).update(`${id}.${timestamp}.${body}`).digest(),
  );
  const [secret] = secrets;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "x-sealhouse-delivery": id,
    "x-sealhouse-timestamp": timestamp,
    "x-sealhouse-event": type,
    "x-apfeed-event": type,
    ...(secret !== undefined && {
      "webhook-signature": signed.map((bytes) => `v1,${bytes.toString("base64")}`).join(" "),
      "x-sealhouse-signature": signed.map((bytes) => `sha256=${bytes.toString("hex")}`).join(","),
      "x-apfeed-signature": `sha256=${bodySignature(secret, body)}`,
    }),
  };
}

/** The signature of hosts for .NET, which take each secret as text. */
function bodySignature(secret: string, body: string): string {
  return createHmac("sha256", Buffer.from(secret, "utf8")).update(body).digest("hex");
}
