import { readBody } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Call } from "./call.ts";

const BODY_BYTES_MAX = 16 * 1024;

/**
 * A small body that is a JSON object.
 *
 * @throws NpmError `document-invalid`
 */
export async function readObject({ c }: Call, bytesMax = BODY_BYTES_MAX): Promise<JsonObject> {
  const bytes = await readBody(c, bytesMax, { inflate: true });
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (isObject(value)) return value;
  } catch (cause) {
    throw new NpmError("document-invalid", "The body is not valid JSON.", { cause });
  }
  throw new NpmError("document-invalid", "The body is not a JSON object.");
}
