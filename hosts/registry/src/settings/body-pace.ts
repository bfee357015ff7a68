import type { BodyPace } from "@sealhouse/http-responses";
import type { Settings } from "./settings.ts";

/** Undefined when request bodies may come at any rate. */
export function parseBodyPace(settings: Settings): BodyPace | undefined {
  const bytesPerSecond = settings.get("Host__BodyRate__BytesPerSecond");
  const windowMs = settings.get("Host__BodyRate__Window");
  return bytesPerSecond === 0 ? undefined : { bytesPerSecond, windowMs };
}
