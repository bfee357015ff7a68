import { createHash } from "node:crypto";
import { openNpmClient } from "@sealhouse/npm-protocol/client";
import { createTarget } from "../target/create-target.ts";
import { directly, memberFile, memberWith, releaseTo } from "./release-to.test.support.ts";
import type { Around } from "./release-to.test.support.ts";
import { npmPublisher } from "./npm-publisher.ts";

/** Reaction of a stand-in for an npm registry to one publish. */
export type PublishScript = {
  /** Undefined: the connection is cut. */
  readonly answer?: () => Response;
  /** Content that the registry has under the version afterwards. */
  readonly stores?: Uint8Array;
};

export type NpmScript = {
  readonly publishes: readonly PublishScript[];
  /** Content of the version before the release, without a tag. */
  readonly before?: Uint8Array;
  /** The integrity that it states. Default: that of the content. */
  readonly states?: (integrity: string) => string;
  /** Reads that do not show a stored version yet. Default: none. */
  readonly readableAfter?: number;
  /** Whether it lists its dist-tags. Default true. */
  readonly listsTags?: boolean;
  /** A bundle of the member, and whether the target is given it. */
  readonly provenance?: "sent" | "kept";
};

const REGISTRY = "https://registry.example";

/** A hash that both contents of the tests have. */
export const WEAK = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=";

type Seen = { readonly call: string; readonly body: string };

/** A stand-in for an npm registry, and a release of `ours` to it. */
export function openNpm(ours: Uint8Array, script: NpmScript, around: Around = directly) {
  const seen: Seen[] = [];
  const registry = createRegistry(script);
  const options = { attestations: script.provenance === "sent" };
  const target = createTarget({ name: "npm", protocol: "npm", endpoint: REGISTRY, options });
  const client = openNpmClient({
    registry: target.endpoint,
    wait: async () => undefined,
    fetch: (url, init) =>
      around(async () => {
        const { method = "GET" } = init;
        const body = await new Request(url, init).text();
        seen.push({ call: `${method} ${decodeURIComponent(url.pathname)}`, body });
        return registry.answer(method, url, body);
      }),
  });
  const file = memberFile(ours);
  const content = {
    manifest: { name: "@acme/bar", version: "1.0.0" },
    file,
    integrity: `${integrityOf(ours)} ${WEAK}`,
    shasum: "",
    ...(script.provenance && { provenance: "{}" }),
  };
  const publisher = npmPublisher({ client, target, contents: { npm: async () => content } });
  const member = memberWith(ours, { protocol: "npm", name: "@acme/bar" });
  const calls = (start: string) => seen.filter(({ call }) => call.startsWith(start));
  return { ...releaseTo(target, publisher, [member]), target, publisher, member, calls, registry };
}

function integrityOf(bytes: Uint8Array | string): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

function createRegistry(script: NpmScript) {
  const { publishes, before, readableAfter = 0, listsTags = true, states } = script;
  const tags = new Map<string, string>();
  let stored = before;
  let [published, reads] = [0, 0];
  const publish = (body: string) => {
    const { answer, stores } = publishes[published++] ?? { answer: () => status(418) };
    stored = stores ?? stored;
    if (!answer) throw new TypeError("fetch failed", { cause: new Error("socket hang up") });
    const answered = answer();
    const document = JSON.parse(body) as { readonly "dist-tags": Record<string, string> };
    const sent = Object.entries(document["dist-tags"]);
    if (answered.ok && stored) for (const [tag, version] of sent) tags.set(tag, version);
    return answered;
  };
  const packument = () => {
    const isShown = stored !== undefined && (stored === before || reads++ >= readableAfter);
    if (!isShown && tags.size === 0) return status(404);
    const integrity = integrityOf(stored ?? "");
    const dist = { integrity: states?.(integrity) ?? integrity, tarball: `${REGISTRY}/bar.tgz` };
    const versions = { ...(isShown && { "1.0.0": { name: "@acme/bar", version: "1.0.0", dist } }) };
    return Response.json({
      _rev: "1",
      name: "@acme/bar",
      "dist-tags": Object.fromEntries(tags),
      versions,
    });
  };
  return {
    tags,
    answer(method: string, { pathname }: URL, body: string): Response {
      const [, tag] = /\/dist-tags\/(.+)$/.exec(pathname) ?? [];
      if (tag !== undefined) {
        if (method === "DELETE") tags.delete(tag);
        else tags.set(tag, JSON.parse(body) as string);
        return Response.json({ ok: true });
      }
      if (method === "GET" && pathname.endsWith("/dist-tags")) {
        return listsTags ? Response.json(Object.fromEntries(tags)) : status(404);
      }
      if (method === "GET") return packument();
      return method === "PUT" ? publish(body) : Response.json({ ok: true });
    },
  };
}

function status(code: number): Response {
  return Response.json({}, { status: code });
}
