import { readBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { parseObject } from "../publish/parse-object.ts";
import type { Call } from "./call.ts";

const BODY_BYTES_MAX = 16 * 1024;

/**
 * A small body that is a JSON object.
 *
 * @throws NpmError `document-invalid`, `not-json`
 */
export async function readObject(call: Call, bytesMax = BODY_BYTES_MAX): Promise<JsonObject> {
  const bytes = await readJson(call, bytesMax);
  return parseObject(() => bytes.toString("utf8"));
}

/**
 * The bytes of a body that says that it is JSON; it may be compressed.
 *
 * @throws NpmError `not-json`
 */
export async function readJson({ c }: Call, bytesMax: number): Promise<Buffer> {
  requireJson(c);
  return readBody(c, bytesMax, { inflate: true });
}

/**
 * Requires a JSON content type. Browsers send other types across origins without a preflight.
 *
 * @throws NpmError `not-json`
 */
export function requireJson(c: Context): void {
  const type = c.req.header("content-type") ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return;
  throw new NpmError("not-json", "The body must be application/json, as npm sends it.");
}
