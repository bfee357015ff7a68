import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Credentials that a stand-in accepts. */
export type StandInAccount = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/**
 * Checks AWS Signature Version 4 as AWS does. Undefined = the caller is known; else the name of the
 * error that AWS answers.
 */
export function authorizationProblem(
  request: IncomingMessage,
  body: Uint8Array,
  expected: StandInAccount & { readonly region: string; readonly service: string },
): string | undefined {
  const parsed = HEADER.exec(request.headers.authorization ?? "")?.groups;
  if (!parsed) return "MissingAuthenticationTokenException";
  const { id, date = "", region, service, names = "", signature = "" } = parsed;
  if (id !== expected.accessKeyId) return "UnrecognizedClientException";
  if (region !== expected.region || service !== expected.service) {
    return "InvalidSignatureException";
  }
  if (request.headers["x-amz-security-token"] !== expected.sessionToken) {
    return "UnrecognizedClientException";
  }
  const time = textOf(request.headers["x-amz-date"]);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical(request, body, names))}`;
  const key = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${expected.secretAccessKey}`,
  );
  const expectedBytes = Buffer.from(hmac(key, text).toString("hex"));
  const actualBytes = Buffer.from(signature);
  const isRight =
    actualBytes.length === expectedBytes.length && timingSafeEqual(actualBytes, expectedBytes);
  return isRight ? undefined : "InvalidSignatureException";
}

const HEADER = new RegExp(
  "^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)/(?<date>\\d{8})/(?<region>[^/]+)/(?<service>[^/]+)" +
    "/aws4_request, SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[0-9a-f]{64})$",
);

/** Without queries: none of the calls has one. */
function canonical(request: IncomingMessage, body: Uint8Array, names: string): string {
  const headers = names
    .split(";")
    .map((name) => `${name}:${textOf(request.headers[name]).trim().replaceAll(/ +/g, " ")}\n`);
  const path = (request.url ?? "/").split("/").map(encodeURIComponent).join("/");
  return [request.method, path, "", headers.join(""), names, sha256(body)].join("\n");
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : (header ?? []).join(",");
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
