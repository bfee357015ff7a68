import type { Answer, CallOptions } from "@sealhouse/http-responses/outgoing";
import { isObject } from "../manifest/descriptor.ts";
import type { RegistryRequest } from "./caller.ts";
import { OciClientError } from "./client-error.ts";
import { readBounded } from "./read-answer.ts";
import { pullScope } from "./remote-repository.ts";
import type { RemoteRepository } from "./remote-repository.ts";

// The distribution specification has no question for it. These registries document one.

const ANSWER_BYTES_MAX = 1024 * 1024;

/** Whether the registry states that a tag cannot move; undefined when it does not answer that. */
export async function isTagImmutable(
  place: RemoteRepository,
  tag: string,
  { signal }: CallOptions,
): Promise<boolean | undefined> {
  return (await isLockedInAzure(place, tag, signal)) ?? isImmutableInHarbor(place, tag, signal);
}

/** Azure Container Registry: `changeableAttributes` of a tag. */
async function isLockedInAzure(
  place: RemoteRepository,
  tag: string,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const { name } = place;
  const target = `/acr/v1/${escaped(name)}/_tags/${encodeURIComponent(tag)}`;
  const scopes = [`repository:${name}:metadata_read`, pullScope(name)];
  const document = await documentAt(place, { method: "GET", target, scopes, signal });
  const { tag: found } = isObject(document) ? document : {};
  const attributes = isObject(found) ? found["changeableAttributes"] : undefined;
  const isWritable = isObject(attributes) ? attributes["writeEnabled"] : undefined;
  return typeof isWritable === "boolean" ? !isWritable : undefined;
}

/** Harbor: `immutable` of a tag. Its own API takes the credentials, not the tokens for images. */
async function isImmutableInHarbor(
  place: RemoteRepository,
  tag: string,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const [project = "", ...rest] = place.name.split("/");
  // A name in the path is encoded twice, as Harbor documents it.
  const repository = encodeURIComponent(encodeURIComponent(rest.join("/")));
  const artifact = `${encodeURIComponent(project)}/repositories/${repository}/artifacts`;
  const query = "with_immutable_status=true&page_size=100";
  const path = `${artifact}/${encodeURIComponent(tag)}/tags?${query}`;
  const target = `/api/v2.0/projects/${path}`;
  const request = { method: "GET", target, scopes: [], isPlain: true, signal } as const;
  const document = await documentAt(place, request);
  const tags: readonly unknown[] = Array.isArray(document) ? document : [];
  const found = tags.filter(isObject).find((candidate) => candidate["name"] === tag);
  const isImmutable = found?.["immutable"];
  return typeof isImmutable === "boolean" ? isImmutable : undefined;
}

/** Undefined for every answer but a document: the push asks the registry again. */
async function documentAt(
  { caller }: RemoteRepository,
  request: RegistryRequest,
): Promise<unknown> {
  try {
    const answer = await caller.once({ ...request, isFinal: () => true });
    if (answer.status === 200) return JSON.parse(await textOf(answer)) as unknown;
    await answer.cancel();
    return undefined;
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof OciClientError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function textOf(answer: Answer): Promise<string> {
  return Buffer.from(await readBounded(answer, ANSWER_BYTES_MAX)).toString();
}

function escaped(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
