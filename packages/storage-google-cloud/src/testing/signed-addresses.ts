import { createHash, verify } from "node:crypto";
import type { Exchange } from "./exchange.ts";
import { sendObject } from "./object-answers.ts";

/** Answers an address with a signature of version 4: verifies it, and the time that it ends. */
export async function answerSigned(
  exchange: Exchange,
  publicKey: string | undefined,
): Promise<void> {
  const { request, response, query } = exchange;
  const { pathname } = new URL(request.url ?? "/", "http://stand-in");
  const isValid = publicKey !== undefined && isSigned(exchange, { pathname, publicKey });
  if (!isValid || isExpired(query)) {
    response.writeHead(403, { "content-type": "application/xml" });
    response.end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
    return;
  }
  const [, bucket = "", ...rest] = pathname.split("/");
  await sendObject(exchange, { bucket, name: decodeURIComponent(rest.join("/")) });
}

function isSigned(
  { request, query }: Exchange,
  { pathname, publicKey }: { readonly pathname: string; readonly publicKey: string },
): boolean {
  const signature = Buffer.from(query.get("X-Goog-Signature") ?? "", "hex");
  const parameters = [...query]
    .filter(([name]) => name !== "X-Goog-Signature")
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .toSorted();
  const canonical = [
    request.method,
    pathname,
    parameters.join("&"),
    // The client signs the name of the host without the port, which Google's address has not.
    `host:${request.headers.host?.replace(/:\d+$/, "")}\n`,
    query.get("X-Goog-SignedHeaders"),
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const scope = (query.get("X-Goog-Credential") ?? "").split("/").slice(1).join("/");
  const text = [
    "GOOG4-RSA-SHA256",
    query.get("X-Goog-Date"),
    scope,
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  return verify("sha256", Buffer.from(text), publicKey, signature);
}

function isExpired(query: URLSearchParams): boolean {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get("X-Goog-Date") ?? "") ?? [];
  const start = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const seconds = Number(query.get("X-Goog-Expires"));
  return !(start + seconds * 1000 > Date.now());
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
