import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { readFileChunks } from "./artifacts.ts";

export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

export type ImageRequest = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array;
  /** A body from a file. */
  readonly file?: string;
};

/** A client of one registry: kept connections, and the token on each request. */
export type ImageClient = Disposable & {
  /** Resolves to the head of the answer, once its body has been read. */
  ask(imageRequest: ImageRequest): Promise<IncomingMessage>;
};

const CONNECTIONS = 64;

export function openImageClient(url: string, authorization?: string): ImageClient {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    async ask({ method, path, status, headers = {}, body, file }) {
      const sent = { ...headers, ...(authorization !== undefined && { authorization }) };
      const outgoing = request(new URL(path, url), { agent, method, headers: sent });
      const answered = once(outgoing, "response");
      if (file === undefined) outgoing.end(body);
      else await pipeline(readFileChunks(file), outgoing);
      const [answer] = (await answered) as [IncomingMessage];
      answer.resume();
      await once(answer, "end");
      if (answer.statusCode === status) return answer;
      throw new Error(`${method} ${path} was answered ${answer.statusCode}, not ${status}`);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** The address at which an upload to `repository` continues. */
export async function beginUpload(client: ImageClient, repository: string): Promise<string> {
  const path = `/v2/${repository}/blobs/uploads/`;
  const headers = { "content-length": 0 };
  return locationOf(await client.ask({ method: "POST", path, status: 202, headers }));
}

export function locationOf({ headers: { location = "" } }: IncomingMessage): string {
  return location;
}

export function withDigest(location: string, digest: string): string {
  return `${location}${location.includes("?") ? "&" : "?"}digest=${encodeURIComponent(digest)}`;
}
