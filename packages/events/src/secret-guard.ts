import type { NewEvent } from "./event.ts";

const SECRET_KEY = new RegExp(
  "(?:token|password|passwd|passphrase|secret|apikey|authorization|credentials?" +
    "|privatekey|signingkey|pepper|cookie|connectionstring)$",
);
/** Deeper objects are refused, because they are not checked. */
const DEPTH_MAX = 8;

/** An event with a secret, which would reach the outbox, the audit log and every webhook. */
export class SecretInEventError extends Error {
  override readonly name = "SecretInEventError";
  readonly code = "secret-in-event";
  readonly key: string;

  constructor(event: Pick<NewEvent, "type">, key: string) {
    super(
      `The detail of a ${event.type} event has the key "${key}". Events are permanent and ` +
        `sent to consumers, so they must not contain secrets: use an id instead.`,
    );
    this.key = key;
  }
}

/**
 * Returns the event when no key of its detail, at any depth, names a secret (`token`,
 * `clientSecret`, `api_key`, …; `tokenId` is allowed). Code that writes events must call this
 * first. Keys are fixed by the program; client input belongs in values.
 *
 * @throws SecretInEventError
 */
export function withoutSecrets<E extends Pick<NewEvent, "type" | "detail">>(event: E): E {
  const key = secretKeyIn(event.detail, 0);
  if (key !== undefined) throw new SecretInEventError(event, key);
  return event;
}

function secretKeyIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === DEPTH_MAX) return "…";
  for (const [key, inner] of Object.entries(value)) {
    if (SECRET_KEY.test(key.toLowerCase().replaceAll(/[^a-z]/g, ""))) return key;
    const secretKey = secretKeyIn(inner, depth + 1);
    if (secretKey !== undefined) return secretKey;
  }
  return undefined;
}
