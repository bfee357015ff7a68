import type { Context } from "hono";
import { nodeOf } from "./node-context.ts";

const TEXT_LENGTH_MAX = 500;

/**
 * Sets the reason phrase after the status code, which NuGet clients show to users. Sets it on the
 * Node response, because `@hono/node-server` ignores Hono's `statusText`. Does nothing without an
 * HTTP/1.1 response (HTTP/2 has no reason phrases).
 */
export function setReasonPhrase(c: Context, text: string): void {
  const node = nodeOf(c);
  if (node && !node.outgoing.headersSent) node.outgoing.statusMessage = headerText(text);
}

/** Converts any text to one line of printable ASCII, at most 500 characters, that is safe in a
 * header or a reason phrase. */
export function headerText(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll(/[‘’‚]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‐-―]/g, "-")
    .replaceAll(/[\s\p{Control}]+/gu, " ")
    .replaceAll(/[^\x20-\x7e]/gu, "?")
    .trim()
    .slice(0, TEXT_LENGTH_MAX);
}
