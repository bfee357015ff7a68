import type { Settings } from "@sealhouse/settings";
import { isLoopback } from "../sign-in/loopback.ts";

/** Returns an empty text for a missing value, which is a problem. */
export function requireText(settings: Settings, key: string, value: string | undefined): string {
  if (value === undefined || value.trim() === "") {
    settings.problem(key, "is required, because another setting of this provider is set");
    return "";
  }
  return value;
}

/** Tokens and secrets go to this address. */
export function checkAddress(settings: Settings, key: string, address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    settings.problem(key, "must begin with https, because secrets are sent to it");
  }
}
