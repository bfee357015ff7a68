import type { Config } from "./config.ts";
import type { Settings } from "./settings.ts";

/** The origins of `Host__Cors__Origins`, in the form that browsers send; `*` stands for all. */
export function parseCorsOrigins(settings: Settings): readonly string[] {
  const key = "Host__Cors__Origins";
  const texts = settings.get(key);
  if (texts.length === 0) return ["*"];
  if (texts.length === 1 && texts[0] === "none") return [];
  for (const text of texts.filter((one) => one !== "*" && originIn(one) === undefined)) {
    settings.problem(
      key,
      `"${text}" is not an origin; allowed: *, none, or origins such as https://docs.example.com`,
    );
  }
  return texts.map((text) => originIn(text) ?? text);
}

/** Undefined for a text with a path or anything else beside scheme, host and port. */
function originIn(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** In Production tokens are not to be sent in the clear. */
export function checkPublicUrls(settings: Settings, urls: readonly string[]): void {
  if (settings.get("Host__AllowInsecurePublicUrl")) return;
  const insecure = urls.find((url) => url.startsWith("http:"));
  if (insecure === undefined) return;
  const single = settings.get("Feed__PublicBaseUrl");
  settings.problem(
    single === insecure ? "Feed__PublicBaseUrl" : "Feed__PublicBaseUrls",
    `"${insecure}" is plain http, over which tokens are sent in the clear; allowed in ` +
      "Production: an https URL, or Host__AllowInsecurePublicUrl=true",
  );
}

/** Without configured addresses every link is made of what a request says. */
export function publicUrlWarnings({ development, feed }: Config): readonly string[] {
  if (development || feed.publicBaseUrls.length > 0) return [];
  return [
    "Feed__PublicBaseUrl is not set: links are made of the Host header of each request, forms " +
      "in the browser are refused, and documents are kept only for addresses that clients with " +
      "a token use; set it to the https address of this feed",
  ];
}
