import { createOciApp } from "@sealhouse/oci-distribution";
import { openOciClient, registrySource } from "@sealhouse/oci-distribution/client";
import type { OciClient } from "@sealhouse/oci-distribution/client";
import { createMemoryOciPorts } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import type { ReleaseMember } from "../model/release.ts";
import { createTarget } from "../target/create-target.ts";
import type { TargetOptions } from "../model/publish-target.ts";
import type { CompletedImages } from "./oci-publisher.ts";
import { ociPublisher } from "./oci-publisher.ts";
import { directly, memberWith, releaseTo } from "./release-to.test.support.ts";
import type { Around } from "./release-to.test.support.ts";

/** A registry in memory. `instead` answers in its place when it returns something. */
type Registry = {
  readonly client: OciClient;
  /** `METHOD path` of each request. */
  readonly seen: string[];
  instead: (call: string, request: Request) => Response | undefined;
};

function openRegistry(host: string, around: Around = directly): Registry {
  const base = `https://${host}`;
  const app = createOciApp(createMemoryOciPorts({ base }), { service: host });
  const seen: string[] = [];
  const client = openOciClient({
    registry: new URL(base),
    wait: async () => undefined,
    async fetch(url, init) {
      const request = new Request(url, init);
      const call = `${request.method} ${url.pathname}${url.search}`;
      seen.push(call);
      return around(async () => registry.instead(call, request) ?? app.request(request));
    },
  });
  const registry: Registry = { client, seen, instead: () => undefined };
  return registry;
}

/** Stores an image, its blobs and its tags. */
export async function push(
  client: OciClient,
  repository: string,
  { image, tags = [] }: { readonly image: TestManifest; readonly tags?: readonly string[] },
): Promise<void> {
  const place = client.repository(repository);
  for (const { digest, bytes } of image.blobs) {
    const read = async function* () {
      yield bytes;
    };
    await place.pushBlob({ digest, size: bytes.length, read });
  }
  for (const reference of [image.digest, ...tags]) await place.putManifest(reference, image);
}

export function memberOfImage(name: string, image: TestManifest, tag: string): ReleaseMember {
  const member = memberWith(image.bytes, { protocol: "oci", name, version: image.digest });
  return { ...member, mediaType: image.mediaType, tags: [tag] };
}

function completedInMemory(): CompletedImages {
  const done = new Map<string, Set<string>>();
  return {
    in: (repository) => ({
      has: async (digest) => done.get(repository)?.has(digest) === true,
      add: async (digest) => {
        done.set(repository, (done.get(repository) ?? new Set<string>()).add(digest));
      },
      drop: async () => void done.delete(repository),
    }),
  };
}

type ImageOptions = {
  readonly around?: Around;
  readonly options?: Partial<TargetOptions>;
};

/** A source and a stand-in for a target, with a release of the members to it. */
export function openImages(
  members: readonly ReleaseMember[],
  { around = directly, options = {} }: ImageOptions = {},
) {
  const from = openRegistry("source.example");
  const to = openRegistry("target.example", around);
  const endpoint = "https://target.example/mirror";
  const target = createTarget({ name: "images", protocol: "oci", endpoint, options });
  const completed = completedInMemory();
  /** A new one for each release, as the host opens it. */
  const publisher = () =>
    ociPublisher({
      client: to.client,
      target,
      completed,
      contents: { image: ({ name }) => registrySource(from.client, name) },
    });
  const open = (chosen: readonly ReleaseMember[] = members) =>
    releaseTo(target, publisher(), chosen);
  return { from, to, target, publisher, open };
}

/** Answers of a registry that has lost a layer: until it is sent again. */
export function lostLayer(digest: string): Registry["instead"] {
  let isLost = true;
  return (call) => {
    if (call.startsWith("PUT") && call.includes("/uploads/") && call.includes(escaped(digest))) {
      isLost = false;
    }
    if (!isLost) return undefined;
    if (/^(?:HEAD|GET) /.test(call) && call.endsWith(`/blobs/${digest}`)) return refusal(404);
    const isManifest = call.startsWith("PUT") && call.includes("/manifests/");
    return isManifest ? refusal(400, "MANIFEST_BLOB_UNKNOWN") : undefined;
  };
}

function escaped(digest: string): string {
  return digest.replace(":", "%3A");
}

export function refusal(status: number, code = "UNKNOWN", message = "refused"): Response {
  return Response.json({ errors: [{ code, message }] }, { status });
}
