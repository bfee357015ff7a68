import { readBody } from "@sealhouse/http-responses";
import type { JsonObject } from "../json.ts";
import { parseObject } from "../publish/parse-object.ts";
import type { Call } from "./call.ts";

const BODY_BYTES_MAX = 16 * 1024;

/**
 * A small body that is a JSON object.
 *
 * @throws NpmError `document-invalid`
 */
export async function readObject({ c }: Call, bytesMax = BODY_BYTES_MAX): Promise<JsonObject> {
  const bytes = await readBody(c, bytesMax, { inflate: true });
  return parseObject(() => bytes.toString("utf8"));
}
