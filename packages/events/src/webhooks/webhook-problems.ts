import { hostKind } from "@sealhouse/http-responses/outgoing";
import { EVENT_TYPES } from "../event.ts";

/** More would make each event expensive. */
export const WEBHOOKS_MAX = 100;
const URL_LENGTH_MAX = 2_000;

/** Returns the reason why a URL cannot be subscribed; undefined when it can. */
export function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "is not an http or https URL";
  }
  if (text.length > URL_LENGTH_MAX) return `has more than ${URL_LENGTH_MAX} characters`;
  if (url.username !== "" || url.password !== "") return "must not contain a user or password";
  if (hostKind(url) === "metadata") return "is an address of a cloud's metadata service";
  return undefined;
}

/** Returns the reason why a name is not an event type or pattern; undefined when it is. */
export function eventProblem(name: string): string | undefined {
  const matches = EVENT_TYPES.some((type) =>
    name.endsWith(".*") ? type.startsWith(name.slice(0, -1)) : type === name,
  );
  if (matches) return undefined;
  return `"${name}" is not an event type. Use package.published, package.*, …`;
}

/** Returns the reason why a secret is too weak or malformed; undefined when it is usable. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith("whsec_")) return secret === "" ? "is empty" : undefined;
  const bytes = Buffer.from(secret.slice(6), "base64").byteLength;
  return bytes >= 24 ? undefined : "must have at least 24 bytes in Base64 after whsec_";
}
