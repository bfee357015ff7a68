import { openNuGetClient } from "@sealhouse/nuget-protocol/client";
import { createTarget } from "../target/create-target.ts";
import type { TargetOptions } from "../model/publish-target.ts";
import { directly, memberFile, memberWith, releaseTo } from "./release-to.test.support.ts";
import type { Around } from "./release-to.test.support.ts";
import { nugetPublisher } from "./nuget-publisher.ts";

/** Reaction of a stand-in for a NuGet feed to one push. */
export type PushScript = {
  /** Undefined: the connection is cut. */
  readonly answer?: Response;
  /** Content that the feed has afterwards. */
  readonly stores?: Uint8Array;
};

export type FeedScript = {
  readonly pushes: readonly PushScript[];
  /** Pushes of symbols. */
  readonly symbolPushes?: readonly Response[];
  /** Lists of versions that do not show a stored version yet. Default: none. */
  readonly readableAfter?: number;
  /** Address of pushes in the service index; null: a static feed. */
  readonly pushUrl?: string | null;
  /** Default: the service index. */
  readonly endpoint?: string;
  readonly options?: Partial<TargetOptions>;
};

const INDEX = "https://feed.example/v3/index.json";
const PUSH = "https://feed.example/push";

type Seen = { readonly call: string; readonly key: string | null };

/** A stand-in for a NuGet feed, and a release of `ours` to it. */
export function openFeed(ours: Uint8Array, script: FeedScript, around: Around = directly) {
  const seen: Seen[] = [];
  const feed = createFeed(script);
  const { endpoint = INDEX, options = {} } = script;
  const target = createTarget({ name: "prod", protocol: "nuget", endpoint, options });
  const hasIndex = target.endpoint.pathname.endsWith("/index.json");
  const client = openNuGetClient({
    source: target.endpoint,
    ...(!hasIndex && { pushUrl: target.endpoint }),
    apiKey: "secret",
    alsoTrusted: target.options.allowedOrigins,
    wait: async () => undefined,
    fetch: (url, init) =>
      around(async () => {
        const { method = "GET" } = init;
        const key = new Headers(init.headers).get("x-nuget-apikey");
        seen.push({ call: `${method} ${url.href}`, key });
        if (init.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
        return feed.answer(method, url);
      }),
  });
  const file = memberFile(ours);
  const symbols = script.symbolPushes && { symbols: memberFile(Buffer.from("symbols")) };
  const publisher = nugetPublisher({
    client,
    hasIndex,
    target,
    contents: { nuget: async () => ({ file, ...symbols }) },
    wait: async () => undefined,
  });
  const member = memberWith(ours, { protocol: "nuget", name: "Acme", tags: [] });
  const calls = (start: string) => seen.filter(({ call }) => call.startsWith(start));
  return { ...releaseTo(target, publisher, [member]), seen, calls };
}

function createFeed({ pushes, symbolPushes = [], readableAfter = 0, pushUrl = PUSH }: FeedScript) {
  let stored: Uint8Array | undefined;
  let [pushed, symbolsPushed, reads] = [0, 0, 0];
  const resource = (type: string, id: string) => ({ "@type": type, "@id": id });
  const resources = [
    resource("PackageBaseAddress/3.0.0", "https://feed.example/flat/"),
    ...(pushUrl === null ? [] : [resource("PackagePublish/2.0.0", pushUrl)]),
    resource("SymbolPackagePublish/4.9.0", "https://feed.example/symbols"),
  ];
  const absent = () => new Response(null, { status: 404 });
  const push = () => {
    const { answer, stores } = pushes[pushed++] ?? { answer: new Response(null, { status: 418 }) };
    stored = stores ?? stored;
    if (!answer) throw new TypeError("fetch failed", { cause: new Error("socket hang up") });
    return answer;
  };
  return {
    answer(method: string, { href, pathname }: URL): Response {
      if (method === "DELETE") return new Response(null, { status: 204 });
      if (method === "PUT" && pathname.startsWith("/symbols")) {
        return symbolPushes[symbolsPushed++] ?? absent();
      }
      if (method === "PUT") return push();
      if (href === INDEX) return Response.json({ version: "3.0.0", resources });
      if (!stored) return absent();
      if (pathname !== "/flat/acme/index.json") return new Response(Buffer.from(stored));
      return Response.json({ versions: reads++ < readableAfter ? [] : ["1.0.0"] });
    },
  };
}
