import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { NuGetClientOptions } from "./client.ts";
import { openNuGetClient } from "./open-client.ts";

export const SOURCE = new URL("https://feed.example/v3/index.json");
const RESOURCES = [
  ["PackageBaseAddress/3.0.0", "https://feed.example/v3/package/"],
  ["RegistrationsBaseUrl/3.6.0", "https://feed.example/v3/registration"],
  ["SearchQueryService", "https://feed.example/v3/search"],
  ["PackagePublish/2.0.0", "https://feed.example/push"],
  ["Catalog/3.0.0", "https://feed.example/v3/catalog.json"],
] as const;
const INDEX = JSON.stringify({
  version: "3.0.0",
  resources: RESOURCES.map(([type, url]) => ({ "@type": type, "@id": url })),
});

type Seen = { readonly url: string; readonly headers: Headers; readonly method: string };
export type Answering = (request: Seen, count: number) => Response | Promise<Response>;

/** A server that answers as a table says; everything else is 404. */
export function openHostile(
  table: Readonly<Record<string, Answering>>,
  options: Partial<NuGetClientOptions> = {},
) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const answer: Fetch = async ({ href: url }, init) => {
    const request = { url, headers: new Headers(init.headers), method: init.method ?? "GET" };
    const count = seen.filter((entry) => entry.url === url).length;
    seen.push(request);
    if (init.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
    init.signal?.throwIfAborted();
    const answering = table[url];
    if (answering) return answering(request, count);
    return url === SOURCE.href ? new Response(INDEX) : new Response("no", { status: 404 });
  };
  const client = openNuGetClient({
    source: SOURCE,
    fetch: answer,
    wait: async (ms) => void waits.push(ms),
    credentials: { type: "bearer", token: "secret" },
    apiKey: "key",
    ...options,
  });
  const requestsTo = (url: string) => seen.filter((entry) => entry.url === url);
  return { client, seen, asked: requestsTo, waits };
}

export const VERSIONS = "https://feed.example/v3/package/acme/index.json";
export const NUPKG = "https://feed.example/v3/package/acme/1.0.0/acme.1.0.0.nupkg";
export const REGISTRATION = "https://feed.example/v3/registration/acme/index.json";
export const ACME = { id: "acme", version: "1.0.0" };

export function json(value: unknown): Answering {
  return () => new Response(JSON.stringify(value));
}

export function redirect(to: string, status = 302): Answering {
  return () => new Response(null, { status, headers: { location: to } });
}

export async function* bytes(text: string) {
  yield Buffer.from(text);
}
