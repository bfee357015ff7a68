import type { Context } from "hono";
import { nodeOf } from "./node-context.ts";

const TEXT_LENGTH_MAX = 500;

/**
 * Sets the words after the status code, which NuGet clients show to people. Hono's `statusText` is
 * not sent by `@hono/node-server`; a status message on the Node response is. Does nothing where
 * there is no HTTP/1.1 response below (HTTP/2 has no reason phrases).
 */
export function setReasonPhrase(c: Context, text: string): void {
  const node = nodeOf(c);
  if (node && !node.outgoing.headersSent) node.outgoing.statusMessage = headerText(text);
}

/** The text in printable ASCII, on one line, 500 characters at most: safe in a header or a reason
 * phrase, whatever it was made from. */
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
