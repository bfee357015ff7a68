import { renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Call } from "./call.ts";

export type JsonReading = {
  /**
   * Whether all authorized callers get the same answer, so that shared caches may store it on a
   * public registry.
   */
  readonly isSameForAll: boolean;
};

/**
 * Answers a read with JSON that is rendered for this request: with its entity tag and 304 for a
 * current copy, and compressed where that saves bytes.
 */
export async function sendJson(
  { c, settings }: Pick<Call, "c" | "settings">,
  text: string,
  { isSameForAll }: JsonReading,
): Promise<Response> {
  const document = await renderDocument(text, {
    contentType: "application/json",
    now: settings.now,
  });
  const isPublic = isSameForAll && settings.anonymousRead;
  return sendDocument(c, document, {
    cacheControl: `${isPublic ? "public" : "private"}, no-cache`,
    vary: "Authorization",
  });
}
