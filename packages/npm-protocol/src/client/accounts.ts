import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Addresses } from "./addresses.ts";
import { malformed } from "./client-error.ts";
import { listOf } from "./packument-document.ts";
import type { Reader } from "./reader.ts";

type Parts = { readonly reader: Reader; readonly addresses: Addresses };

/** A token as its owner sees it: never its value. */
export type RemoteToken = {
  readonly key: string;
  readonly name: string | undefined;
  readonly isReadOnly: boolean;
  readonly createdAt: string | undefined;
};

const PAGES_MAX = 1_000;
const PER_PAGE = 100;

/** Undefined where the registry knows no names. @throws {NpmClientError} `unauthorized` */
export async function readUserName(
  { reader, addresses }: Parts,
  read: CallOptions,
): Promise<string | undefined> {
  const document = await reader.object(addresses.endpoint("whoami"), read);
  const name = document?.["username"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** All tokens of the caller, page by page. */
export async function* readTokens(
  { reader, addresses }: Parts,
  read: CallOptions,
): AsyncGenerator<RemoteToken, void, undefined> {
  for (let page = 0; page < PAGES_MAX; page++) {
    const url = addresses.endpoint("npm/v1/tokens");
    url.search = `?page=${page}&perPage=${PER_PAGE}`;
    const document = await reader.object(url, read);
    if (!document) return;
    const tokens = listOf(document["objects"]).filter(isObject).map(remoteToken);
    yield* tokens;
    const { urls } = document;
    // Only whether there is a next page: the client does not send its token to an address from the
    // registry.
    if (!isObject(urls) || typeof urls["next"] !== "string" || tokens.length === 0) return;
  }
  throw malformed(addresses.endpoint("npm/v1/tokens"), `has more than ${PAGES_MAX} pages`);
}

function remoteToken({ key, name, readonly, created }: JsonObject): RemoteToken {
  return {
    key: typeof key === "string" ? key : "",
    name: typeof name === "string" ? name : undefined,
    isReadOnly: readonly === true,
    createdAt: typeof created === "string" ? created : undefined,
  };
}
