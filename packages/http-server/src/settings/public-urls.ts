import type { Settings } from "@sealhouse/settings";
import { HTTP_SERVER_SETTINGS } from "./table.ts";

/** Allowed public addresses, without trailing slash; empty when they come from the request. */
export function parsePublicUrls(settings: Settings): readonly string[] {
  const own = settings.of(HTTP_SERVER_SETTINGS);
  const single = own.get("Feed__PublicBaseUrl");
  const several = own.get("Feed__PublicBaseUrls");
  return [...new Set([...(single === undefined ? [] : [single]), ...several])];
}

/** Refuses http addresses, which expose tokens. */
export function checkPublicUrls(settings: Settings, urls: readonly string[]): void {
  const own = settings.of(HTTP_SERVER_SETTINGS);
  if (own.get("Host__AllowInsecurePublicUrl")) return;
  const insecure = urls.find((url) => url.startsWith("http:"));
  if (insecure === undefined) return;
  const single = own.get("Feed__PublicBaseUrl");
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
