import type { ImageClient } from "./image-client.ts";
import type { HeadLine } from "./image-heads.ts";
import { MANIFEST_TYPE, beginUpload, digestOf, locationOf, withDigest } from "./image-client.ts";

export type ImageCase = {
  readonly what: string;
  readonly count: number;
  /** CPU seconds per GiB with `bytes` (of all runs together), else CPU milliseconds per run. */
  readonly budget: number;
  /**
   * The cost of docker-registry 2.8.2 on the machine where the budget was set, in the same unit.
   */
  readonly peer?: number;
  readonly bytes?: number;
  readonly connections?: number;
  readonly run: (client: ImageClient, place: At) => Promise<unknown>;
};

type At = { readonly index: number; readonly round: number };

export type Layer = { readonly path: string; readonly digest: string; readonly size: number };

/** Content of the pushes of one round; each blob is 4 KiB of noise. */
export type Small = {
  readonly repository: string;
  readonly blobs: readonly Uint8Array[];
  readonly more: readonly Uint8Array[];
};

export const PAGE_BUDGET_MS = 20;
const MIB = 1024 * 1024;
const RANGES = 256;
const OCTETS = { "content-type": "application/octet-stream" };
const NOTHING = { "content-length": 0 };
const ACCEPT = { accept: MANIFEST_TYPE };

/** A new layer for each round: a registry need not store known bytes again. */
export function largeCases(layers: readonly Layer[]): readonly ImageCase[] {
  const size = layers[0]?.size ?? 0;
  const layerOf = (round: number) => layers[round] ?? { path: "", digest: "", size };
  const single = { count: 1, bytes: size, connections: 1 };
  const path = (round: number) => `/v2/bench/large-${round}/blobs/${layerOf(round).digest}`;
  const ranges = Math.min(RANGES, Math.floor(size / MIB));
  const pull = (client: ImageClient, { round }: At) =>
    client.ask({ method: "GET", path: path(round), status: 200 });
  return [
    {
      ...single,
      what: `push of a layer of ${size / MIB} MiB, POST and PUT`,
      budget: 2.8,
      peer: 4.8,
      run: (client, { round }) => pushLayer(client, `bench/large-${round}`, layerOf(round)),
    },
    {
      ...single,
      what: "the same layer into another repository",
      budget: 2.8,
      peer: 4.8,
      run: (client, { round }) => pushLayer(client, `bench/known-${round}`, layerOf(round)),
    },
    {
      ...single,
      what: "as docker does, POST, PATCH and PUT",
      budget: 3,
      peer: 4.7,
      async run(client, { round }) {
        const { path: file, digest } = layerOf(round);
        const session = await beginUpload(client, `bench/patched-${round}`);
        const headers = { ...OCTETS, "transfer-encoding": "chunked" };
        const sent = { method: "PATCH", path: session, status: 202, headers, file };
        const location = withDigest(locationOf(await client.ask(sent)), digest);
        await client.ask({ method: "PUT", path: location, status: 201, headers: NOTHING });
      },
    },
    { ...single, what: "pull of the layer", budget: 0.9, peer: 0.46, run: pull },
    {
      ...single,
      what: "four pulls at once",
      count: 4,
      bytes: 4 * size,
      connections: 4,
      budget: 0.9,
      peer: 0.5,
      run: pull,
    },
    {
      what: `${ranges} ranges of 1 MiB`,
      count: ranges,
      bytes: ranges * MIB,
      connections: 1,
      budget: 1.8,
      peer: 3.7,
      run(client, { index, round }) {
        const headers = { range: `bytes=${index * MIB}-${(index + 1) * MIB - 1}` };
        return client.ask({ method: "GET", path: path(round), status: 206, headers });
      },
    },
  ];
}

export function smallCases(rounds: readonly Small[]): readonly ImageCase[] {
  const count = rounds[0]?.blobs.length ?? 0;
  const of = ({ index, round }: At): One => {
    const { repository, blobs, more } = rounds[round] ?? { repository: "", blobs: [], more: [] };
    const blob = blobs[index % count] ?? Buffer.alloc(0);
    const manifests = `/v2/${repository}/manifests`;
    const other = more[index] ?? Buffer.alloc(0);
    return {
      repository,
      blob,
      other,
      manifests,
      manifest: manifestOf(blob),
      tag: `t${index % count}`,
    };
  };
  return [...smallWrites(count, of), ...smallReads(count, of)];
}

/** The subject of one request. */
type One = {
  readonly repository: string;
  readonly blob: Uint8Array;
  readonly other: Uint8Array;
  /** A path. */
  readonly manifests: string;
  readonly manifest: Buffer;
  readonly tag: string;
};

function smallWrites(count: number, of: (position: At) => One): readonly ImageCase[] {
  return [
    {
      what: "small blob, HEAD, POST and PUT",
      count,
      budget: 1.5,
      peer: 4.75,
      run: (client, turn) => pushWhole(client, of(turn).repository, of(turn).blob),
    },
    {
      what: "small blob as docker does, HEAD, POST, PATCH, PUT and HEAD",
      count,
      budget: 2,
      peer: 7.2,
      run: (client, turn) => pushPatched(client, of(turn).repository, of(turn).other),
    },
    {
      what: "manifest PUT by tag",
      count,
      budget: 0.6,
      peer: 2.5,
      run(client, turn) {
        const { manifests, tag, manifest } = of(turn);
        return putManifest(client, `${manifests}/${tag}`, manifest);
      },
    },
    {
      what: "mount into another repository",
      count,
      budget: 0.3,
      peer: 1.3,
      run(client, turn) {
        const { repository, blob } = of(turn);
        const query = `mount=${digestOf(blob)}&from=${repository}`;
        const path = `/v2/${repository}-x/blobs/uploads/?${query}`;
        return client.ask({ method: "POST", path, status: 201, headers: NOTHING });
      },
    },
  ];
}

function smallReads(count: number, of: (position: At) => One): readonly ImageCase[] {
  const read = (
    what: string,
    [budget, peer]: readonly [budget: number, peer?: number],
    readOf: (image: One) => Read,
  ): ImageCase => ({
    what,
    budget,
    ...(peer !== undefined && { peer }),
    count: count * 2,
    run: (client, turn) => client.ask({ status: 200, ...readOf(of(turn)) }),
  });
  const blobPath = ({ repository, blob }: One) => `/v2/${repository}/blobs/${digestOf(blob)}`;
  const list = ({ repository }: One) => `/v2/${repository}/tags/list`;
  return [
    read("manifest HEAD by tag", [0.12, 1.07], ({ manifests, tag }) => {
      return { method: "HEAD", path: `${manifests}/${tag}`, headers: ACCEPT };
    }),
    read("manifest GET by digest", [0.15, 0.89], ({ manifests, manifest }) => {
      const path = `${manifests}/${digestOf(manifest)}`;
      return { method: "GET", path, headers: ACCEPT };
    }),
    read("blob HEAD", [0.12], (image) => ({ method: "HEAD", path: blobPath(image) })),
    read("blob GET, 4 KiB", [0.4, 2.45], (image) => ({ method: "GET", path: blobPath(image) })),
    {
      ...read(`list of ${count} tags`, [1, 2.25], (image) => ({
        method: "GET",
        path: list(image),
      })),
      count: 100,
    },
    read("GET /v2/", [0.12], () => ({ method: "GET", path: "/v2/" })),
  ];
}

/** HEAD requests of what the small cases of the first round have pushed. */
export function headLines([round]: readonly Small[]): readonly HeadLine[] {
  const { repository = "", blobs = [] } = round ?? {};
  const tags = blobs.map((_, index) => `/v2/${repository}/manifests/t${index}`);
  return [
    { what: "HEAD of manifests by tag", paths: tags, headers: ACCEPT },
    {
      what: "HEAD of blobs",
      paths: blobs.map((blob) => `/v2/${repository}/blobs/${digestOf(blob)}`),
      headers: {},
    },
  ];
}

type Read = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Every blob of a round is a layer of one manifest, and its configuration, too. */
function manifestOf(blob: Uint8Array): Buffer {
  const descriptor = { digest: digestOf(blob), size: blob.length };
  const config = { mediaType: "application/vnd.oci.image.config.v1+json", ...descriptor };
  const layer = { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", ...descriptor };
  const manifest = { schemaVersion: 2, mediaType: MANIFEST_TYPE, config, layers: [layer] };
  return Buffer.from(JSON.stringify(manifest));
}

function putManifest(client: ImageClient, path: string, body: Uint8Array): Promise<unknown> {
  const headers = { "content-type": MANIFEST_TYPE, "content-length": body.length };
  return client.ask({ method: "PUT", path, status: 201, headers, body });
}

async function pushLayer(client: ImageClient, repository: string, layer: Layer): Promise<void> {
  const path = withDigest(await beginUpload(client, repository), layer.digest);
  const headers = { ...OCTETS, "content-length": layer.size };
  await client.ask({ method: "PUT", path, status: 201, headers, file: layer.path });
}

async function pushWhole(client: ImageClient, repository: string, body: Uint8Array): Promise<void> {
  const digest = digestOf(body);
  await client.ask({ method: "HEAD", path: `/v2/${repository}/blobs/${digest}`, status: 404 });
  const path = withDigest(await beginUpload(client, repository), digest);
  const headers = { ...OCTETS, "content-length": body.length };
  await client.ask({ method: "PUT", path, status: 201, headers, body });
}

async function pushPatched(client: ImageClient, repository: string, body: Uint8Array) {
  const digest = digestOf(body);
  const blob = `/v2/${repository}/blobs/${digest}`;
  await client.ask({ method: "HEAD", path: blob, status: 404 });
  const session = await beginUpload(client, repository);
  const headers = { ...OCTETS, "transfer-encoding": "chunked" };
  const sent = await client.ask({ method: "PATCH", path: session, status: 202, headers, body });
  const path = withDigest(locationOf(sent), digest);
  await client.ask({ method: "PUT", path, status: 201, headers: NOTHING });
  await client.ask({ method: "HEAD", path: blob, status: 200 });
}

/** A repository with this number of manifests, each with a tag. */
export async function fillWithTags(
  client: ImageClient,
  repository: string,
  manifests: number,
): Promise<void> {
  const config = Buffer.from("{}");
  await pushWhole(client, repository, config);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < manifests; index = next++) {
      const image = JSON.parse(manifestOf(config).toString()) as object;
      const manifest = { ...image, annotations: { index: String(index) } };
      const path = `/v2/${repository}/manifests/t${index}`;
      await putManifest(client, path, Buffer.from(JSON.stringify(manifest)));
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}
