import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";

/** Answers instead of the registry; false: the registry answers. */
export type ImageFault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A registry of images whose faults a test decides. */
export type ScriptedImages = AsyncDisposable & {
  readonly url: string;
  /** Method and path of each request. */
  readonly requests: string[];
  readonly headers: IncomingMessage["headers"][];
  /** Adds a manifest with its blobs, and points the tags to it. */
  put(repository: string, image: TestManifest, ...tags: readonly string[]): void;
  fault: ImageFault | undefined;
  /** Closes the port; connections end. */
  stop(): Promise<void>;
};

type Content = { readonly type: string; readonly bytes: Uint8Array; readonly digest: string };

const PATH = /^\/v2\/(.+)\/(manifests|blobs|tags|referrers)\/([^/?]+)/;

export async function openScriptedImages(): Promise<ScriptedImages> {
  /** By `repository/manifests/reference` and `repository/blobs/digest`. */
  const contents = new Map<string, Content>();
  const tagsOf = new Map<string, Set<string>>();
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const registry = { fault: undefined as ImageFault | undefined };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    if (registry.fault?.(request, response)) return;
    const [, repository = "", kind = "", reference = ""] = PATH.exec(request.url ?? "") ?? [];
    const tags = tagsOf.get(repository);
    if (kind === "tags" && tags) {
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ name: repository, tags: [...tags] }));
    }
    const content = contents.get(`${repository}/${kind}/${reference}`);
    if (!content) return void response.writeHead(404).end("{}");
    response.writeHead(200, {
      "content-type": content.type,
      "content-length": content.bytes.length,
      "docker-content-digest": content.digest,
    });
    response.end(request.method === "HEAD" ? undefined : content.bytes);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return Object.assign(registry, {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`,
    requests,
    headers,
    put(repository: string, image: TestManifest, ...tags: readonly string[]) {
      const { mediaType: type, bytes, digest } = image;
      for (const reference of [digest, ...tags]) {
        contents.set(`${repository}/manifests/${reference}`, { type, bytes, digest });
      }
      for (const blob of image.blobs) {
        const content = { type: "application/octet-stream", ...blob };
        contents.set(`${repository}/blobs/${blob.digest}`, content);
      }
      tagsOf.set(repository, new Set([...(tagsOf.get(repository) ?? []), ...tags]));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  });
}
