import type { Settings } from "./settings.ts";

/** Reads `Host__Cors__Origins` into the form that browsers send; `*` allows every origin. */
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

/** Undefined for a text with more than scheme, host and port. */
function originIn(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Refuses http addresses, which expose tokens. */
export function checkPublicUrls(settings: Settings, urls: readonly string[]): void {
  if (settings.get("Host__AllowInsecurePublicUrl")) return;
  const insecure = urls.find((url) => url.startsWith("http:"));
  if (insecure === undefined) return;
  const single = settings.get("Feed__PublicBaseUrl");
  settings.problem(
    single === insecure ? "Feed__PublicBaseUrl" : "Feed__PublicBaseUrls",
    `"${insecure}" is http, so clients send tokens without encryption; allowed in ` +
      "Production: an https URL, or any URL with Host__AllowInsecurePublicUrl=true",
  );
}

/** Warns when links depend on the `Host` header of each request. */
export function publicUrlWarnings({
  development,
  feed,
}: {
  readonly development: boolean;
  readonly feed: { readonly publicBaseUrls: readonly string[] };
}): readonly string[] {
  if (development || feed.publicBaseUrls.length > 0) return [];
  return [
    "Feed__PublicBaseUrl is not set: links depend on the Host header of each request, forms in " +
      "the browser are refused, and documents are stored only for addresses that clients with " +
      "a token use; set it to the https address of this feed",
  ];
}
