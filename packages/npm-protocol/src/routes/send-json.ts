import { renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { Call } from "./call.ts";

export type JsonReading = {
  /** Whether every caller who is let in gets the same, so that shared caches may keep it where
   * everybody reads. */
  readonly isSameForAll: boolean;
};

/**
 * Answers a read with JSON that is made for this request: with its entity tag, so that who has it
 * already is told so, and compressed where that saves something. It is asked for anew each time.
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
