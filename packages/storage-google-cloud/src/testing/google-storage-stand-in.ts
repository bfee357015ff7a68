import { createServer } from "node:http";
import type { Server } from "node:http";
import {
  deleteObject,
  describeObject,
  listObjects,
  rewriteObject,
  sendObject,
} from "./object-answers.ts";
import type { ObjectAddress } from "./object-answers.ts";
import { sendError } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { createStandInState } from "./stand-in-state.ts";
import type { StandInState } from "./stand-in-state.ts";
import { answerSigned } from "./signed-addresses.ts";
import { receiveUpload } from "./upload-answers.ts";

/**
 * A stand-in for Google Cloud Storage: the part of its JSON API that the driver uses, as Google
 * documents it, and signed addresses of version 4. Objects are in memory. It is not an emulator of
 * Google: permissions, storage classes, versions and quotas do not exist.
 */
export type GoogleStorageStandIn = AsyncDisposable & {
  /** `http://127.0.0.1:1`. */
  readonly url: string;
  readonly state: StandInState;
  /** Method, path and query of all requests. */
  readonly requests: string[];
};

/** Options of `startGoogleStorage`. */
export type StandInOptions = {
  /** PEM file of the key that signed addresses are verified with. */
  readonly publicKey?: string;
};

/** Starts a stand-in with the bucket `artifacts` and those that `state.buckets` gets. */
export async function startGoogleStorage(
  options: StandInOptions = {},
): Promise<GoogleStorageStandIn> {
  const state = createStandInState();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer({ request, response, state, options }).catch((error: unknown) => {
      // The client is away, or the test is wrong.
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const url = await listen(server);
  return {
    url,
    state,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return `http://127.0.0.1:${address.port}`;
}

const UPLOAD = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/;
const LIST = /^\/storage\/v1\/b\/([^/]+)\/o$/;
const REWRITE = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)\/rewriteTo\/b\/([^/]+)\/o\/([^/]+)$/;
const OBJECT = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/;

async function answer({
  request,
  response,
  state,
  options,
}: Omit<Exchange, "query"> & { readonly options: StandInOptions }): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://stand-in");
  const exchange: Exchange = { request, response, state, query };
  if (query.has("X-Goog-Signature")) return answerSigned(exchange, options.publicKey);
  const collection = UPLOAD.exec(pathname) ?? LIST.exec(pathname);
  const single = REWRITE.exec(pathname) ?? OBJECT.exec(pathname);
  const [, bucket = "", name = "", , target] = collection ?? single ?? [];
  if (!state.buckets.has(bucket)) {
    const message = "The specified bucket does not exist.";
    return sendError(response, 404, { reason: "notFound", message });
  }
  if (!collection)
    return answerObject(exchange, { bucket, name: decodeURIComponent(name) }, target);
  return UPLOAD.test(pathname) ? receiveUpload(exchange, bucket) : listObjects(exchange, bucket);
}

async function answerObject(
  exchange: Exchange,
  object: ObjectAddress,
  target: string | undefined,
): Promise<void> {
  if (target !== undefined) return rewriteObject(exchange, object, decodeURIComponent(target));
  if (exchange.request.method === "DELETE") return deleteObject(exchange, object);
  if (exchange.query.get("alt") === "media") return sendObject(exchange, object);
  return describeObject(exchange, object);
}
